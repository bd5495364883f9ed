// SPDX-License-Identifier: Apache-2.0
extern "C" __device__ float op(float x);

extern "C" __global__ void apply(float *values)
{
    values[threadIdx.x] = op(values[threadIdx.x]);
}
