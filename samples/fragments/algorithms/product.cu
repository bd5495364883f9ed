// SPDX-License-Identifier: Apache-2.0
#include "../operator.h"

// A matrix product that combines where others add: out[r][c] combines a[r][k] * b[k][c] for all k.
// b has as many rows as columns. Blocks of 16 × 16 threads.
extern "C" __global__ void product(const float *a, const float *b, float *out, int rows, int columns)
{
    __shared__ float left[16][16], right[16][17];
    const int tiles = (columns + 15) / 16;
    const int row = blockIdx.x / tiles * 16 + threadIdx.y;
    const int column = blockIdx.x % tiles * 16 + threadIdx.x;
    float sum = identity();
    for (int first = 0; first < columns; first += 16) {
        const int k = first + threadIdx.x;
        left[threadIdx.y][threadIdx.x] = row < rows && k < columns ? a[row * columns + k] : 0.0f;
        const int l = first + threadIdx.y;
        right[threadIdx.y][threadIdx.x] = l < columns && column < columns ? b[l * columns + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16 && first + i < columns; i++) {
            sum = combine(sum, left[threadIdx.y][i] * right[i][threadIdx.x]);
        }
        __syncthreads();
    }
    if (row < rows && column < columns) {
        out[row * columns + column] = sum;
    }
}
