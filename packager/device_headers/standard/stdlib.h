// SPDX-License-Identifier: Apache-2.0
// malloc(), free(), abs(), labs() and llabs() are NVRTC's own. Programs, environments, random numbers and
// conversions of strings are not for device code.
#ifndef CUBINET_STD_STDLIB_H
#define CUBINET_STD_STDLIB_H

#include "stddef.h"

#undef EXIT_SUCCESS
#undef EXIT_FAILURE

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

typedef struct {
    int quot;
    int rem;
} div_t;

typedef struct {
    long quot;
    long rem;
} ldiv_t;

typedef struct {
    long long quot;
    long long rem;
} lldiv_t;

__host__ __device__ inline div_t div(int __a, int __b)
{
    return {__a / __b, __a % __b};
}

__host__ __device__ inline ldiv_t ldiv(long __a, long __b)
{
    return {__a / __b, __a % __b};
}

__host__ __device__ inline lldiv_t lldiv(long long __a, long long __b)
{
    return {__a / __b, __a % __b};
}

// Ends the grid with an error.
[[noreturn]] __host__ __device__ inline void abort()
{
    __trap();
    __builtin_unreachable();
}

__host__ __device__ inline void *calloc(size_t __count, size_t __size)
{
    if (__size != 0 && __count > static_cast<size_t>(-1) / __size) {
        return nullptr;
    }
    void *__memory = malloc(__count * __size);
    if (__memory) {
        memset(__memory, 0, __count * __size);
    }
    return __memory;
}

// What host code names.
#if __has_include("../host_only/cubinet_host/c_stdlib.h")
#include "../host_only/cubinet_host/c_stdlib.h"
#endif

#endif
