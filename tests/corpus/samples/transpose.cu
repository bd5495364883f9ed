// SPDX-License-Identifier: Apache-2.0
// A tile of 32 by 32 with a column of padding, so that no two threads of a warp meet in a bank.
#include <cuda_runtime.h>

#define TILE_DIM 32
#define BLOCK_ROWS 8

template <typename T> __global__ void transpose(T *odata, const T *idata, int width, int height)
{
    __shared__ T tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (x < width && y + i < height) {
            tile[threadIdx.y + i][threadIdx.x] = idata[(y + i) * width + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (x < height && y + i < width) {
            odata[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
        }
    }
}
