// Annotations behind macros, which lambdas of device code have, too.
#pragma once
#define ON_BOTH __host__ __device__
#define ON_DEVICE __device__

template <class F> __device__ float apply(F f, float x)
{
    return f(x);
}

__device__ inline float twice(float x)
{
    return apply([=] ON_DEVICE(float y) { return 2 * y; }, x);
}
