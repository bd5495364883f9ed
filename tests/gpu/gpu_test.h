/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests on a real GPU share. Each is a program of its own that takes archives as arguments, prints
 * what it compares, and ends with 0 (passed), 1 (failed) or 77 (skipped: no driver or no GPU here). */
#ifndef GPU_TEST_H
#define GPU_TEST_H

#include "loader/driver/cuda_abi.h"

#include <cubinet/launch.h>

#include <stdbool.h>

enum { GPU_TEST_SKIPPED = 77 };

/* Driver functions that only the tests call: X(name, parameters, optional) */
#define GPU_FUNCTIONS(X)                                                                                     \
    X(cuMemAlloc, (CUdeviceptr * address, size_t bytes), false)                                              \
    X(cuMemGetInfo, (size_t * free_bytes, size_t * total), true)                                             \
    X(cuMemFree, (CUdeviceptr address), false)                                                               \
    X(cuMemcpyHtoD, (CUdeviceptr to, const void *from, size_t bytes), false)                                 \
    X(cuMemcpyDtoH, (void *to, CUdeviceptr from, size_t bytes), false)                                       \
    X(cuStreamCreate, (CUstream * stream, unsigned int flags), false)                                        \
    X(cuStreamSynchronize, (CUstream stream), false)                                                         \
    X(cuStreamDestroy, (CUstream stream), false)                                                             \
    X(cuCtxGetCurrent, (CUcontext * context), false)                                                         \
    X(cuCtxPushCurrent, (CUcontext context), false)                                                          \
    X(cuCtxPopCurrent, (CUcontext * context), false)                                                         \
    X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), false)                               \
    X(cuFuncGetAttribute, (int *value, unsigned int attribute, CUfunction function), false)                  \
    X(cuKernelGetAttribute, (int *value, unsigned int attribute, CUkernel kernel, CUdevice device), false)   \
    X(cuKernelGetFunction, (CUfunction * function, CUkernel kernel), false)                                  \
    X(cuKernelGetParamInfo, (CUkernel kernel, size_t index, size_t * offset, size_t * size), true)           \
    X(cuLibraryLoadData,                                                                                     \
      (CUlibrary * library, const void *code, unsigned int *jit_options, void **jit_values,                  \
       unsigned int jit_count, unsigned int *library_options, void **library_values,                         \
       unsigned int library_count),                                                                          \
      false)                                                                                                 \
    X(cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char *name), false)                   \
    X(cuLibraryUnload, (CUlibrary library), false)                                                           \
    X(cuLaunchKernel,                                                                                        \
      (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,                   \
       unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,          \
       CUstream stream, void **params, void **extra),                                                        \
      false)

struct gpu_calls {
#define GPU_MEMBER(name, params, optional) cbn_cu_result(*name) params;
    GPU_FUNCTIONS(GPU_MEMBER)
#undef GPU_MEMBER
};

/* Opens the driver; ends the program with 77, saying why, where there is none or no GPU. */
cubinet_driver *gpu_open_driver(void);

/* The same, with the driver's own functions, which the simulated driver does not all have. */
cubinet_driver *gpu_open(struct gpu_calls *out_calls);

/* As gpu_open(), and prints which GPU it is. */
cubinet_driver *gpu_start(struct gpu_calls *out_calls);

/* Copies to the device, and waits until the bytes are there: the driver's own call returns once it has read
 * them, and a stream that does not wait for the default one may start before they arrive. */
void gpu_copy_in(const struct gpu_calls *calls, CUdeviceptr to, const void *from, size_t bytes);

/* End the program, saying where and why, unless the call succeeded. */
#define GPU_OK(status)      gpu_ok(status, #status, __FILE__, __LINE__)
#define GPU_DRIVER(result)  gpu_driver(result, #result, __FILE__, __LINE__)
#define GPU_TRUE(condition) gpu_true((condition) != 0, #condition, __FILE__, __LINE__)
void gpu_ok(cubinet_status status, const char *call, const char *file, int line);
void gpu_driver(cbn_cu_result result, const char *call, const char *file, int line);
void gpu_true(bool condition, const char *text, const char *file, int line);

/* The candidates among a module's images for device 0, best first: their numbers, and how many. */
enum { GPU_MAX_IMAGES = 64 };
size_t gpu_candidates(const cubinet_driver *driver, const cubinet_archive *archive, uint32_t module,
                      uint32_t images[GPU_MAX_IMAGES]);

#endif
