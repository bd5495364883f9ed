// SPDX-License-Identifier: Apache-2.0
// A complex FFT of a power of two in shared memory, radix 2, one block.
#include <cmath>
#include <vector_types.h>

typedef float2 Complex;

static __device__ __host__ inline Complex ComplexAdd(Complex a, Complex b)
{
    Complex c;
    c.x = a.x + b.x;
    c.y = a.y + b.y;
    return c;
}

static __device__ __host__ inline Complex ComplexMul(Complex a, Complex b)
{
    Complex c;
    c.x = a.x * b.x - a.y * b.y;
    c.y = a.x * b.y + a.y * b.x;
    return c;
}

extern "C" __global__ void fft_block(Complex *data, int log2n, int direction)
{
    extern __shared__ Complex shared[];
    int n = 1 << log2n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        shared[__brev(i) >> (32 - log2n)] = data[i];
    }
    for (int size = 2; size <= n; size *= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            int k = i % (size / 2);
            int first = i / (size / 2) * size + k;
            Complex twiddle;
            sincospif(direction * 2.0f * k / size, &twiddle.y, &twiddle.x);
            Complex even = shared[first];
            Complex odd = ComplexMul(shared[first + size / 2], twiddle);
            shared[first] = ComplexAdd(even, odd);
            odd.x = -odd.x;
            odd.y = -odd.y;
            shared[first + size / 2] = ComplexAdd(even, odd);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        data[i] = shared[i];
    }
}
