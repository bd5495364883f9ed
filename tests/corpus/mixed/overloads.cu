// Kernels of one name that differ in their parameters, and one that is declared and nowhere defined.
// named: with parameters
#include <cstdio>

enum kind { PLAIN, DOUBLED };

template <typename T> __global__ void scale(T *x, const T *factors, int n);

template <kind K> __global__ void apply(float *x, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        x[i] = K == DOUBLED ? 2 * x[i] : x[i] + 1;
    }
}

template <kind K> __global__ void apply(int *x, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        x[i] = K == DOUBLED ? 2 * x[i] : x[i] + 3;
    }
}

template <typename T> __global__ void scale(T *x, T factor, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        x[i] *= factor;
    }
}

int main()
{
    float *x;
    int *y;
    cudaMallocManaged(&x, 4 * sizeof(float));
    cudaMallocManaged(&y, 4 * sizeof(int));
    for (int i = 0; i < 4; i++) {
        x[i] = y[i] = i;
    }
    apply<DOUBLED><<<1, 32>>>(x, 4);
    apply<PLAIN><<<1, 32>>>(y, 4);
    scale<float><<<1, 32>>>(x, 3.f, 4);
    cudaDeviceSynchronize();
    bool right = x[3] == 18.f && y[3] == 6;
    printf("%s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
