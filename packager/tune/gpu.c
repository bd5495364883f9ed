/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/gpu.h"

#include "loader/core/support/error.h"

#include <string.h>

enum { ATTRIBUTE_L2_CACHE_SIZE = 38, NON_BLOCKING = 1, OUT_OF_MEMORY = 2 };
enum { LEAST_FLUSHED = 32 << 20 };

static const struct call_name {
    const char *name;
    size_t offset;
} names[] = {
#define CALL(name)                                                                                           \
    {                                                                                                        \
#name, offsetof(struct gpu_calls, name)                                                              \
    }
    CALL(cuCtxPushCurrent),     CALL(cuMemAlloc),        CALL(cuMemFree),       CALL(cuMemcpyHtoD),
    CALL(cuMemcpyDtoH),         CALL(cuMemcpyDtoDAsync), CALL(cuMemsetD8Async), CALL(cuStreamCreate),
    CALL(cuStreamSynchronize),  CALL(cuEventCreate),     CALL(cuEventRecord),   CALL(cuEventElapsedTime),
    CALL(cuDeviceGetAttribute), CALL(cuGetErrorName),
#undef CALL
};

static cubinet_status resolve(struct gpu *gpu)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *function = NULL;
        cubinet_status status = cubinet_driver_get_proc_address(gpu->driver, names[i].name, &function);
        if (status) {
            return status;
        }
        memcpy((char *)&gpu->calls + names[i].offset, &function, sizeof(function));
    }
    return CUBINET_OK;
}

cubinet_status gpu_check(struct gpu *gpu, unsigned result, const char *call)
{
    const char *name = NULL;
    if (result == 0) {
        return CUBINET_OK;
    }
    if (gpu->calls.cuGetErrorName(result, &name) != 0 || !name) {
        name = "an unknown error";
    }
    return cbn_error_driver(result == OUT_OF_MEMORY ? CUBINET_ERROR_DEVICE_MEMORY : CUBINET_ERROR_DRIVER,
                            (int)result, "%s on device %d: %s (%u)", call, gpu->device, name, result);
}

cubinet_status gpu_allocate(struct gpu *gpu, size_t bytes, CUdeviceptr *out_address)
{
    CUdeviceptr address = 0;
    cubinet_status status = gpu_check(gpu, gpu->calls.cuMemAlloc(&address, bytes ? bytes : 1), "cuMemAlloc");
    if (status) {
        return cbn_error_context(status, "%zu bytes of device memory", bytes);
    }
    *out_address = address;
    return CUBINET_OK;
}

void gpu_free(struct gpu *gpu, CUdeviceptr address)
{
    if (address && !gpu->is_lost) {
        gpu->calls.cuMemFree(address);
    }
}

static cubinet_status make_events(struct gpu *gpu)
{
    cubinet_status status = CUBINET_OK;
    for (unsigned i = 0; !status && i < GPU_MOST_TIMED; i++) {
        status = gpu_check(gpu, gpu->calls.cuEventCreate(&gpu->starts[i], 0), "cuEventCreate");
        if (!status) {
            status = gpu_check(gpu, gpu->calls.cuEventCreate(&gpu->ends[i], 0), "cuEventCreate");
        }
    }
    return status;
}

cubinet_status gpu_open(const cubinet_driver *driver, CUdevice device, CUcontext context, struct gpu *out_gpu)
{
    struct gpu gpu = {.driver = driver, .device = device};
    int cache = 0;
    cubinet_status status = resolve(&gpu);
    if (!status) {
        status = gpu_check(&gpu, gpu.calls.cuCtxPushCurrent(context), "cuCtxPushCurrent");
    }
    if (!status) {
        status = gpu_check(&gpu, gpu.calls.cuStreamCreate(&gpu.stream, NON_BLOCKING), "cuStreamCreate");
    }
    if (!status) {
        status = make_events(&gpu);
    }
    if (!status) {
        status = gpu_check(&gpu, gpu.calls.cuDeviceGetAttribute(&cache, ATTRIBUTE_L2_CACHE_SIZE, device),
                           "cuDeviceGetAttribute");
    }
    if (!status) {
        size_t twice = 2 * (size_t)cache;
        gpu.flushed_bytes = twice > LEAST_FLUSHED ? twice : LEAST_FLUSHED;
        status = gpu_allocate(&gpu, gpu.flushed_bytes, &gpu.flushed);
    }
    if (!status) {
        *out_gpu = gpu;
    }
    return status;
}

cubinet_status gpu_flush(struct gpu *gpu)
{
    unsigned result = gpu->calls.cuMemsetD8Async(gpu->flushed, 0, gpu->flushed_bytes, gpu->stream);
    return gpu_check(gpu, result, "cuMemsetD8Async");
}

cubinet_status gpu_wait(struct gpu *gpu)
{
    cubinet_status status =
        gpu_check(gpu, gpu->calls.cuStreamSynchronize(gpu->stream), "cuStreamSynchronize");
    gpu->is_lost |= status != CUBINET_OK;
    return status;
}

cubinet_status gpu_elapsed(struct gpu *gpu, unsigned first, unsigned last, double *out_time)
{
    float milliseconds = 0;
    unsigned result = gpu->calls.cuEventElapsedTime(&milliseconds, gpu->starts[first], gpu->ends[last]);
    *out_time = (double)milliseconds * 1e6;
    return gpu_check(gpu, result, "cuEventElapsedTime");
}
