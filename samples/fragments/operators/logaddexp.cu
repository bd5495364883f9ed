// SPDX-License-Identifier: Apache-2.0
#include "../operator.h"

// log(exp(a) + exp(b)), without overflow.
extern "C" __device__ float combine(float a, float b)
{
    const float larger = fmaxf(a, b);
    return isinf(larger) ? larger : larger + log1pf(expf(fminf(a, b) - larger));
}

extern "C" __device__ float identity()
{
    return -__int_as_float(0x7f800000); // -infinity: the logarithm of 0
}
