/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, copies and events of one device: driver calls that libcubinet does not make. */
#ifndef GPU_H
#define GPU_H

#include <cubinet/driver.h>
#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_event; /* CUevent */

/* The driver's functions, as cubinet_driver_get_proc_address() gives them. */
struct gpu_calls {
    unsigned (*cuCtxPushCurrent)(CUcontext context);
    unsigned (*cuMemAlloc)(CUdeviceptr *address, size_t bytes);
    unsigned (*cuMemFree)(CUdeviceptr address);
    unsigned (*cuMemcpyHtoD)(CUdeviceptr to, const void *from, size_t bytes);
    unsigned (*cuMemcpyDtoH)(void *to, CUdeviceptr from, size_t bytes);
    unsigned (*cuMemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
    unsigned (*cuMemsetD8Async)(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream);
    unsigned (*cuStreamCreate)(CUstream *stream, unsigned flags);
    unsigned (*cuStreamSynchronize)(CUstream stream);
    unsigned (*cuEventCreate)(struct gpu_event **event, unsigned flags);
    unsigned (*cuEventRecord)(struct gpu_event *event, CUstream stream);
    unsigned (*cuEventElapsedTime)(float *milliseconds, struct gpu_event *start, struct gpu_event *end);
    unsigned (*cuDeviceGetAttribute)(int *value, unsigned attribute, CUdevice device);
    unsigned (*cuGetErrorName)(unsigned error, const char **text);
};

enum { GPU_MOST_TIMED = 16 };

struct gpu {
    const cubinet_driver *driver;
    CUdevice device;
    struct gpu_calls calls;
    CUstream stream;
    CUdeviceptr flushed; /* memory that is larger than the L2 cache */
    size_t flushed_bytes;
    struct gpu_event *starts[GPU_MOST_TIMED];
    struct gpu_event *ends[GPU_MOST_TIMED];
    bool is_lost; /* a call failed after a launch: the context is not to be used any more */
};

/* Prepares a device in a context, which becomes current and stays so: the process is there for that. */
cubinet_status gpu_open(const cubinet_driver *driver, CUdevice device, CUcontext context,
                        struct gpu *out_gpu);

/* The thread's error for a driver call that did not succeed; CUBINET_OK if it did. */
cubinet_status gpu_check(struct gpu *gpu, unsigned result, const char *call);

cubinet_status gpu_allocate(struct gpu *gpu, size_t bytes, CUdeviceptr *out_address);
void gpu_free(struct gpu *gpu, CUdeviceptr address);

/* Writes as many bytes as the L2 cache has twice, in the stream. */
cubinet_status gpu_flush(struct gpu *gpu);

/* Waits for the stream. A failure is one of a launch before, and the context is lost. */
cubinet_status gpu_wait(struct gpu *gpu);

/* Nanoseconds between two recorded events that are over. */
cubinet_status gpu_elapsed(struct gpu *gpu, unsigned first, unsigned last, double *out_time);

#endif
