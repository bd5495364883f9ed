/* SPDX-License-Identifier: Apache-2.0 */
/* The driver calls that the samples make themselves: memory. A program that has <cuda.h> and links libcuda,
 * or that uses the CUDA runtime (cudaMalloc, cudaMemcpy), needs none of this: Cubinet works in the same
 * contexts. */
#ifndef SAMPLES_DRIVER_CALLS_H
#define SAMPLES_DRIVER_CALLS_H

#include <cubinet/cubinet.h>

#define DRIVER_CALLS(X)                                                                                      \
    X(cuCtxSetCurrent, (CUcontext context))                                                                  \
    X(cuCtxSynchronize, (void))                                                                              \
    X(cuMemAlloc, (CUdeviceptr * address, size_t bytes))                                                     \
    X(cuMemFree, (CUdeviceptr address))                                                                      \
    X(cuMemcpyHtoD, (CUdeviceptr to, const void *from, size_t bytes))                                        \
    X(cuMemcpyDtoH, (void *to, CUdeviceptr from, size_t bytes))

struct driver_calls {
#define X(name, parameters) int(*name) parameters;
    DRIVER_CALLS(X)
#undef X
};

static inline cubinet_status driver_calls_get(const cubinet_driver *driver, struct driver_calls *calls)
{
#define X(name, parameters)                                                                                  \
    {                                                                                                        \
        cubinet_status status = cubinet_driver_get_proc_address(driver, #name, (void **)&calls->name);       \
        if (status) {                                                                                        \
            return status;                                                                                   \
        }                                                                                                    \
    }
    DRIVER_CALLS(X)
#undef X
    return CUBINET_OK;
}

#endif
