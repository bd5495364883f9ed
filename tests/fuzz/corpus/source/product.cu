// SPDX-License-Identifier: Apache-2.0
// The skeleton that the library ships, as LTO-IR: out = epilogue(a * b) for matrices in row order, a of
// m × k, b of k × n. Blocks of 16 × 16 threads.
#include "epilogue.h"

extern "C" __global__ void product(const float *a, const float *b, float *out, int m, int n, int k,
                                   const float *data)
{
    __shared__ float left[16][16], right[16][17];
    const int row = blockIdx.y * 16 + threadIdx.y;
    const int column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < k; first += 16) {
        const int across = first + threadIdx.x;
        const int down = first + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && across < k ? a[row * k + across] : 0.0f;
        right[threadIdx.y][threadIdx.x] = down < k && column < n ? b[down * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; i++) {
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        out[row * n + column] = epilogue(sum, row, column, data);
    }
}
