// SPDX-License-Identifier: Apache-2.0
#include "saxpy.cuh"

template <typename T> __global__ void saxpy(T a, const T *x, T *y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = multiply_add(a, x[i], y[i]);
    }
}
