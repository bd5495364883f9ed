// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of the Python package.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void saxpy(float a, const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += a * x[i];
    }
}

struct numbers {
    float first;
    int second;
};

// Every kind of number, and a structure, as the sum of them all.
template <typename T>
__global__ void all(double *out, bool flag, signed char i8, unsigned char u8, short i16, unsigned short u16, int i32,
                    unsigned u32, long long i64, unsigned long long u64, __half f16, __nv_bfloat16 bf16, float f32,
                    double f64, numbers both, T last)
{
    *out = flag + i8 + u8 + i16 + u16 + i32 + u32 + static_cast<double>(i64) + static_cast<double>(u64) +
           static_cast<double>(__half2float(f16)) + static_cast<double>(__bfloat162float(bf16)) + f32 + f64 +
           both.first + both.second + static_cast<double>(last);
}

// Reverses through dynamic shared memory, with one block.
extern "C" __global__ void __launch_bounds__(256) reverse(int *values, unsigned n)
{
    extern __shared__ int copy[];
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        copy[i] = values[i];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        values[i] = copy[n - 1 - i];
    }
}

// Structures of sizes that numbers have, or none has.
struct byte {
    unsigned char value;
};

struct color {
    unsigned char red, green, blue;
};

extern "C" __global__ void structures(byte b, color c, numbers n, float *out)
{
    *out = static_cast<float>(b.value + c.red + c.green + c.blue) + n.first;
}

extern "C" __global__ void nothing()
{
}

// More than a launch has on its stack.
struct large {
    float values[500];
};

extern "C" __global__ void sum_of(large values, float *out)
{
    float sum = 0;
    for (float value : values.values) {
        sum += value;
    }
    *out = sum;
}
