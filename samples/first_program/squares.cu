// SPDX-License-Identifier: Apache-2.0
__device__ float values[64];

extern "C" __global__ void squares(float factor)
{
    values[threadIdx.x] = factor * threadIdx.x * threadIdx.x;
}
