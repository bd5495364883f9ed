// SPDX-License-Identifier: Apache-2.0
extern "C" __device__ float op(float x)
{
    return x * 2;
}
