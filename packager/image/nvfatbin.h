/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's library that writes fatbins, opened where a toolkit has it. */
#ifndef NVFATBIN_H
#define NVFATBIN_H

#include "base/buffer.h"
#include "image/fatbin.h"
#include "loader/core/support/dynlib.h"

#include <stdbool.h>
#include <stddef.h>

typedef int nvFatbinResult;
typedef struct _nvFatbinHandle *nvFatbinHandle;

/* X(function, result, parameters, required, since: a CUDA release) */
#define NVFATBIN_FUNCTIONS(X)                                                                                \
    X(nvFatbinGetErrorString, const char *, (nvFatbinResult result), true, 12040)                            \
    X(nvFatbinCreate, nvFatbinResult, (nvFatbinHandle * handle, const char **options, size_t count), true,   \
      12040)                                                                                                 \
    X(nvFatbinDestroy, nvFatbinResult, (nvFatbinHandle * handle), true, 12040)                               \
    X(nvFatbinAddPTX, nvFatbinResult,                                                                        \
      (nvFatbinHandle handle, const char *code, size_t size, const char *arch, const char *name,             \
       const char *options),                                                                                 \
      true, 12040)                                                                                           \
    X(nvFatbinAddCubin, nvFatbinResult,                                                                      \
      (nvFatbinHandle handle, const void *code, size_t size, const char *arch, const char *name), true,      \
      12040)                                                                                                 \
    X(nvFatbinAddLTOIR, nvFatbinResult,                                                                      \
      (nvFatbinHandle handle, const void *code, size_t size, const char *arch, const char *name,             \
       const char *options),                                                                                 \
      true, 12040)                                                                                           \
    X(nvFatbinAddTileIR, nvFatbinResult,                                                                     \
      (nvFatbinHandle handle, const void *code, size_t size, const char *name, const char *options), false,  \
      13010)                                                                                                 \
    X(nvFatbinSize, nvFatbinResult, (nvFatbinHandle handle, size_t * size), true, 12040)                     \
    X(nvFatbinGet, nvFatbinResult, (nvFatbinHandle handle, void *data), true, 12040)

struct nvfatbin_table {
#define NVFATBIN_FIELD(name, result, parameters, required, since) result(*name) parameters;
    NVFATBIN_FUNCTIONS(NVFATBIN_FIELD)
#undef NVFATBIN_FIELD
};

struct nvfatbin {
    struct cbn_library library; /* its handle is NULL where there is none */
    struct nvfatbin_table table;
};

/* Opens the library of the toolkit that NVRTC at that path belongs to; none there is no error. */
cubinet_status nvfatbin_open(const char *nvrtc, struct nvfatbin *out_nvfatbin);
void nvfatbin_close(struct nvfatbin *nvfatbin);

/* Appends a fatbin with these images. CUBINET_ERROR_LINK with what the library says. */
cubinet_status nvfatbin_write(const struct nvfatbin *nvfatbin, const struct fatbin_image *images,
                              size_t count, const char *name, struct buffer *out);

#endif
