// SPDX-License-Identifier: Apache-2.0
// The rows of a separable convolution, with the edges kept in shared memory.
#include <assert.h>
#include <cuda_runtime.h>

#define KERNEL_RADIUS 8
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
#define ROWS_BLOCKDIM_X 64

__constant__ float c_Kernel[KERNEL_LENGTH];

__global__ void convolutionRowsKernel(float *d_Dst, const float *d_Src, int imageW, int imageH, int pitch)
{
    assert(blockDim.x == ROWS_BLOCKDIM_X);
    __shared__ float s_Data[ROWS_BLOCKDIM_X + 2 * KERNEL_RADIUS];
    const int y = blockIdx.y;
    const int start = blockIdx.x * ROWS_BLOCKDIM_X - KERNEL_RADIUS;
    for (int i = threadIdx.x; i < ROWS_BLOCKDIM_X + 2 * KERNEL_RADIUS; i += ROWS_BLOCKDIM_X) {
        const int x = start + i;
        s_Data[i] = x >= 0 && x < imageW && y < imageH ? d_Src[y * pitch + x] : 0;
    }
    __syncthreads();
    const int x = start + KERNEL_RADIUS + threadIdx.x;
    if (x >= imageW || y >= imageH) {
        return;
    }
    float sum = 0;
#pragma unroll
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) {
        sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.x + KERNEL_RADIUS + j];
    }
    d_Dst[y * pitch + x] = sum;
}
