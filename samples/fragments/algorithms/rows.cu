// SPDX-License-Identifier: Apache-2.0
#include "../operator.h"

// Each row into one value. One warp for each row.
extern "C" __global__ void rows(const float *a, const float *b, float *out, int rows, int columns)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int lane = threadIdx.x % warpSize;
    if (row >= rows) {
        return;
    }
    float sum = identity();
    for (int column = lane; column < columns; column += warpSize) {
        sum = combine(sum, a[row * columns + column]);
    }
    for (int step = warpSize / 2; step > 0; step /= 2) {
        sum = combine(sum, __shfl_down_sync(0xffffffff, sum, step));
    }
    if (lane == 0) {
        out[row] = sum;
    }
}
