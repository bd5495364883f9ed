// SPDX-License-Identifier: Apache-2.0
#include "../operator.h"

// Inclusive scan of each row: out[r][c] combines a[r][0] to a[r][c]. One block of 256 threads for each row.
extern "C" __global__ void scan(const float *a, const float *b, float *out, int rows, int columns)
{
    __shared__ float sums[256];
    const float *row = a + blockIdx.x * columns;
    float before = identity(); // of this row, everything left of the 256 elements at hand
    for (int first = 0; first < columns; first += 256) {
        const int column = first + threadIdx.x;
        float sum = column < columns ? row[column] : identity();
        for (int step = 1; step < 256; step *= 2) {
            sums[threadIdx.x] = sum;
            __syncthreads();
            if (threadIdx.x >= step) {
                sum = combine(sums[threadIdx.x - step], sum);
            }
            __syncthreads();
        }
        if (column < columns) {
            out[blockIdx.x * columns + column] = combine(before, sum);
        }
        sums[threadIdx.x] = sum;
        __syncthreads();
        before = combine(before, sums[255]);
        __syncthreads();
    }
}
