// SPDX-License-Identifier: Apache-2.0
#include "../operator.h"

// Everything into one value. One block of 256 threads.
extern "C" __global__ void reduce(const float *a, const float *b, float *out, int rows, int columns)
{
    __shared__ float sums[256];
    float sum = identity();
    for (int i = threadIdx.x; i < rows * columns; i += 256) {
        sum = combine(sum, a[i]);
    }
    sums[threadIdx.x] = sum;
    for (int step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) {
            sums[threadIdx.x] = combine(sums[threadIdx.x], sums[threadIdx.x + step]);
        }
    }
    if (threadIdx.x == 0) {
        *out = sums[0];
    }
}
