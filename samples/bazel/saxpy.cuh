// SPDX-License-Identifier: Apache-2.0
template <typename T> __device__ T multiply_add(T a, T x, T y)
{
    return a * x + y;
}
