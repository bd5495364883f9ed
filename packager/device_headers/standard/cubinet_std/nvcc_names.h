// SPDX-License-Identifier: Apache-2.0
// What else a source has with nvcc without an #include. It costs a small source a third of its time, so only one that does
// not compile without it gets it.
#ifndef CUBINET_STD_NVCC_NAMES_H
#define CUBINET_STD_NVCC_NAMES_H

#if __cplusplus >= 201402L

#include "../stdint.h"
#include "../type_traits"
#include "gcc_dialect.h"

// What device code calls of CUDA's runtime. The header is the toolkit's.
#if __has_include(<cuda_device_runtime_api.h>)
#include <cuda_device_runtime_api.h>
#endif

// What glibc's assert() calls; sources call it, too.
extern "C" __device__ inline void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    __assertfail(assertion, file, line, function, sizeof(char));
}

typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);

#endif

#endif
