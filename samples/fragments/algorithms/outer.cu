// SPDX-License-Identifier: Apache-2.0
#include "../operator.h"

// Every element of the first column of a with every element of the first row of b.
extern "C" __global__ void outer(const float *a, const float *b, float *out, int rows, int columns)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) {
        out[i] = combine(a[i / columns * columns], b[i % columns]);
    }
}
