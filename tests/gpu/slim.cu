/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose fatbins are slimmed: templates, constant, device and managed variables, a function pointer, printf of
 * a second source. It is built in several ways by slim.py. */
#include <cstdio>
#include <stdexcept>
#include <string>

__constant__ float factor = 2;
__device__ int calls;
__managed__ int managed = 5;

template <class T, int Add> __global__ void scale(T *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = x[i] * (T)factor + Add + managed;
        atomicAdd(&calls, 1);
    }
}

float wave(float x); // slim_other.cu
#ifdef RELOCATABLE
extern __device__ float outer(float x);
__global__ void call_outer(float *x) { *x = outer(*x); }
#endif

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
    }
}

template <class T, int Add> static void run()
{
    T *x;
    check(cudaMallocManaged(&x, 100 * sizeof(T)), "memory");
    for (int i = 0; i < 100; i++) {
        x[i] = (T)i;
    }
    scale<T, Add><<<4, 32>>>(x, 100);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "run");
    for (int i = 0; i < 100; i++) {
        if (x[i] != (T)(i * 3 + Add + 5)) {
            throw std::runtime_error("a wrong result");
        }
    }
    cudaFree(x);
}

int main()
{
    try {
        float three = 3;
        int counted = 0;
        check(cudaMemcpyToSymbol(factor, &three, sizeof(three)), "factor");
        run<float, 1>();
        run<double, 2>();
        run<int, 3>();
        check(cudaMemcpyFromSymbol(&counted, calls, sizeof(counted)), "calls");
        if (counted != 300 || wave(0) != 1) {
            throw std::runtime_error("wrong counts");
        }
#ifdef RELOCATABLE
        float *x;
        check(cudaMallocManaged(&x, sizeof(*x)), "memory");
        *x = 4;
        call_outer<<<1, 1>>>(x);
        check(cudaDeviceSynchronize(), "outer");
        if (*x != 9) {
            throw std::runtime_error("a wrong result of another source");
        }
#endif
        puts("right");
        return 0;
    } catch (const std::exception &error) {
        printf("failed: %s\n", error.what());
        return 1;
    }
}
