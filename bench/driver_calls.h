/* SPDX-License-Identifier: Apache-2.0 */
/* The driver as the benchmarks call it themselves, so that what other compilers made is loaded and launched
 * in the same way. Every function returns a CUresult, as an int. */
#ifndef BENCH_DRIVER_CALLS_H
#define BENCH_DRIVER_CALLS_H

#include <cubinet/cubinet.h>

typedef struct CUevent_st *gpu_event;

/* clang-format off */
#define DRIVER_CALLS(X)                                                                                      \
    X(cuCtxPopCurrent, (CUcontext * context))                                                                \
    X(cuCtxPushCurrent, (CUcontext context))                                                                 \
    X(cuCtxSetCurrent, (CUcontext context))                                                                  \
    X(cuCtxSynchronize, (void))                                                                              \
    X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                      \
    X(cuEventCreate, (gpu_event * out, unsigned flags))                                                      \
    X(cuEventDestroy, (gpu_event event))                                                                     \
    X(cuEventElapsedTime, (float *milliseconds, gpu_event start, gpu_event end))                             \
    X(cuEventRecord, (gpu_event event, CUstream stream))                                                     \
    X(cuEventSynchronize, (gpu_event event))                                                                 \
    X(cuFuncGetAttribute, (int *value, int attribute, CUfunction function))                                  \
    X(cuKernelGetFunction, (CUfunction * function, CUkernel kernel))                                         \
    X(cuLaunchKernel, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,               \
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,                \
                       CUstream stream, void **parameters, void **extra))                                    \
    X(cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char *name))                          \
    X(cuLibraryLoadData, (CUlibrary * library, const void *code, int *jit_options, void **jit_values,        \
                          unsigned jit_count, int *options, void **values, unsigned count))                  \
    X(cuLibraryUnload, (CUlibrary library))                                                                  \
    X(cuMemAlloc, (CUdeviceptr * address, size_t bytes))                                                     \
    X(cuMemFree, (CUdeviceptr address))                                                                      \
    X(cuMemcpyDtoH, (void *to, CUdeviceptr from, size_t bytes))                                              \
    X(cuMemcpyHtoD, (CUdeviceptr to, const void *from, size_t bytes))                                        \
    X(cuMemsetD32, (CUdeviceptr to, unsigned value, size_t count))                                           \
    X(cuMemsetD8, (CUdeviceptr to, unsigned char value, size_t bytes))                                       \
    X(cuModuleGetFunction, (CUfunction * function, void *module, const char *name))                          \
    X(cuModuleLoad, (void **module, const char *path))                                                       \
    X(cuModuleLoadData, (void **module, const void *image))                                                  \
    X(cuModuleUnload, (void *module))
/* clang-format on */

struct driver_calls {
#define X(name, parameters) int(*name) parameters;
    DRIVER_CALLS(X)
#undef X
};

/* CU_FUNC_ATTRIBUTE_NUM_REGS: registers for each thread. */
enum { NUM_REGS_ATTRIBUTE = 4 };

/* Finds all of them, or ends the program. */
void driver_calls_find(cubinet_driver *driver, struct driver_calls *out_calls);

/* Makes the first GPU's primary context current, or ends the program. */
void driver_calls_take_first_gpu(const struct driver_calls *calls);

#endif
