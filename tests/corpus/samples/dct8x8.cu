// SPDX-License-Identifier: Apache-2.0
// The discrete cosine transform of each block of 8 by 8 samples.
#include <math_constants.h>

#define BLOCK_SIZE 8

__device__ float basis(int k, int n)
{
    float norm = k == 0 ? CUDART_SQRT_HALF_F * 0.5f : 0.5f;
    return norm * cosf((2 * n + 1) * k * CUDART_PI_F / 16);
}

__global__ void dct8x8(const float *src, float *dst, int stride)
{
    __shared__ float block[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float half_done[BLOCK_SIZE][BLOCK_SIZE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int at = (blockIdx.y * BLOCK_SIZE + ty) * stride + blockIdx.x * BLOCK_SIZE + tx;
    block[ty][tx] = src[at];
    __syncthreads();
    float sum = 0;
    for (int n = 0; n < BLOCK_SIZE; n++) {
        sum += basis(tx, n) * block[ty][n];
    }
    half_done[ty][tx] = sum;
    __syncthreads();
    sum = 0;
    for (int n = 0; n < BLOCK_SIZE; n++) {
        sum += basis(ty, n) * half_done[n][tx];
    }
    dst[at] = sum;
}
