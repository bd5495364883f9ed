// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.hpp"

// A polynomial in fixed point, and the least value of all threads.
template <typename Number> __global__ void horner(const std::int32_t *in, std::int32_t *out, std::int32_t *least, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Number value = std::numeric_limits<Number>::max();
    if (i < count) {
        const Number x = Number::from_rep(in[i]);
        value = (x * Number(3) - Number(2)) * x + Number(1);
        out[i] = value.rep();
    }
    atomicMin(least, value.rep());
}
