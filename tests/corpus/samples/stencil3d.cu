// SPDX-License-Identifier: Apache-2.0
// A star of radius 4 that marches along z with the column in registers.
#include <cuda_runtime.h>

#define RADIUS 4

__constant__ float stencil[RADIUS + 1];

__global__ void FiniteDifferencesKernel(float *output, const float *input, const int dimx, const int dimy, const int dimz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int stride_y = dimx + 2 * RADIUS;
    const int stride_z = stride_y * (dimy + 2 * RADIUS);
    if (x >= dimx || y >= dimy) {
        return;
    }
    int index = RADIUS * stride_y + RADIUS + y * stride_y + x;
    float column[2 * RADIUS + 1];
#pragma unroll
    for (int i = 0; i < 2 * RADIUS; i++) {
        column[i + 1] = input[index + i * stride_z];
    }
    index += RADIUS * stride_z;
    for (int z = 0; z < dimz; z++, index += stride_z) {
#pragma unroll
        for (int i = 0; i < 2 * RADIUS; i++) {
            column[i] = column[i + 1];
        }
        column[2 * RADIUS] = input[index + RADIUS * stride_z];
        float value = stencil[0] * column[RADIUS];
#pragma unroll
        for (int i = 1; i <= RADIUS; i++) {
            value += stencil[i] * (column[RADIUS - i] + column[RADIUS + i] + input[index - i] + input[index + i] +
                                   input[index - i * stride_y] + input[index + i * stride_y]);
        }
        output[index] = value;
    }
}
