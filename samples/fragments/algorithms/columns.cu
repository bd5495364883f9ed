// SPDX-License-Identifier: Apache-2.0
#include "../operator.h"

// Each column into one value. One thread for each column.
extern "C" __global__ void columns(const float *a, const float *b, float *out, int rows, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) {
        return;
    }
    float sum = identity();
    for (int row = 0; row < rows; row++) {
        sum = combine(sum, a[row * columns + column]);
    }
    out[column] = sum;
}
