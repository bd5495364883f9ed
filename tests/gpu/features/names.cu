// SPDX-License-Identifier: Apache-2.0
// Kernels by every kind of name: extern "C", mangled, overloaded, in namespaces, static, templates.
extern "C" __global__ void plain(int *out)
{
    out[0] = 1;
}

__global__ void mangled(int *out)
{
    out[1] = 2;
}

__global__ void overloaded(int *out, int value)
{
    out[2] = value;
}

__global__ void overloaded(int *out, float value)
{
    out[3] = static_cast<int>(value * 2);
}

namespace outer {
namespace inner {
__global__ void nested(int *out)
{
    out[4] = 5;
}
}

namespace {
__global__ void unnamed(int *out)
{
    out[5] = 6;
}
}
}

static __global__ void hidden(int *out)
{
    out[6] = 7;
}

struct doubled {
    __device__ int operator()(int x) const { return 2 * x; }
};

template <typename F, int Index> __global__ void apply(int *out, F function)
{
    out[Index] = function(Index);
}

template <template <typename> class Holder, typename... Rest> __global__ void variadic(int *out, Holder<int> value)
{
    out[8] = static_cast<int>(sizeof...(Rest)) + value.item;
}

template <typename T> struct holder {
    T item;
};
