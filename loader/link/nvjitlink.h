/* SPDX-License-Identifier: Apache-2.0 */
/* nvJitLink, opened at run time: assembling PTX and linking LTO-IR, with every call checked. */
#ifndef CBN_NVJITLINK_H
#define CBN_NVJITLINK_H

#include "loader/core/support/dynlib.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* nvJitLink's types, as nvJitLink.h declares them. */
typedef int nvJitLinkResult;
typedef struct nvJitLink *nvJitLinkHandle;
typedef enum {
    NVJITLINK_INPUT_CUBIN = 1,
    NVJITLINK_INPUT_PTX = 2,
    NVJITLINK_INPUT_LTOIR = 3,
    NVJITLINK_INPUT_FATBIN = 4,
    NVJITLINK_INPUT_OBJECT = 5,
    NVJITLINK_INPUT_LIBRARY = 6,
    NVJITLINK_INPUT_ANY = 10,
} nvJitLinkInputType;

/* X(name, parameters, required, since). Libraries of 12.0 to 12.2 have these names only with their release
 * after them, as in __nvJitLinkCreate_12_0: they are found as well. */
#define CBN_NVJITLINK_FUNCTIONS(X)                                                                           \
    X(nvJitLinkCreate, (nvJitLinkHandle * handle, uint32_t count, const char *const *options), true, 12000)  \
    X(nvJitLinkDestroy, (nvJitLinkHandle * handle), true, 12000)                                             \
    X(nvJitLinkAddData,                                                                                      \
      (nvJitLinkHandle handle, nvJitLinkInputType type, const void *data, size_t size, const char *name),    \
      true, 12000)                                                                                           \
    X(nvJitLinkComplete, (nvJitLinkHandle handle), true, 12000)                                              \
    X(nvJitLinkGetLinkedCubinSize, (nvJitLinkHandle handle, size_t * size), true, 12000)                     \
    X(nvJitLinkGetLinkedCubin, (nvJitLinkHandle handle, void *cubin), true, 12000)                           \
    X(nvJitLinkGetLinkedPtxSize, (nvJitLinkHandle handle, size_t * size), true, 12000)                       \
    X(nvJitLinkGetLinkedPtx, (nvJitLinkHandle handle, char *ptx), true, 12000)                               \
    X(nvJitLinkGetErrorLogSize, (nvJitLinkHandle handle, size_t * size), true, 12000)                        \
    X(nvJitLinkGetErrorLog, (nvJitLinkHandle handle, char *log), true, 12000)                                \
    X(nvJitLinkGetInfoLogSize, (nvJitLinkHandle handle, size_t * size), true, 12000)                         \
    X(nvJitLinkGetInfoLog, (nvJitLinkHandle handle, char *log), true, 12000)                                 \
    X(nvJitLinkVersion, (unsigned int *major, unsigned int *minor), false, 12030)

struct cbn_nvjitlink_table {
#define CBN_FIELD(name, parameters, required, since) nvJitLinkResult(*name) parameters;
    CBN_NVJITLINK_FUNCTIONS(CBN_FIELD)
#undef CBN_FIELD
};

struct cbn_nvjitlink {
    struct cbn_library library;
    struct cbn_nvjitlink_table table;
    int version; /* 1000 × major + 10 × minor */
};

/* Opens the library that `search` finds. A failure is CUBINET_ERROR_TOOLKIT. */
cubinet_status cbn_nvjitlink_open(const struct cbn_library_search *search,
                                  struct cbn_nvjitlink *out_nvjitlink);
void cbn_nvjitlink_close(struct cbn_nvjitlink *nvjitlink);

struct cbn_link_piece {
    nvJitLinkInputType type;
    const void *data;
    size_t size;
    const char *name; /* for messages */
};

struct cbn_link_job {
    const char *const *options; /* "-arch=sm_90" among them */
    size_t option_count;
    const struct cbn_link_piece *pieces;
    size_t piece_count;
    bool want_ptx; /* PTX instead of a cubin: options must say "-lto" and "-ptx" */
};

struct cbn_link_result {
    unsigned char *data; /* cubin, or PTX with a NUL that is not counted in `size` */
    size_t size;
    char *log; /* what the library said, "" if nothing */
};

/* Links the pieces. Safe to call from several threads at the same time.
 * On failure CUBINET_ERROR_LINK with the library's own words in the message. On success the caller frees what
 * is in `out_result`. The library may return an empty cubin without an error: that is a failure here, but
 * whether the kernels are in it is for the caller to look at. */
cubinet_status cbn_nvjitlink_link(const struct cbn_nvjitlink *nvjitlink, const struct cbn_link_job *job,
                                  struct cbn_link_result *out_result);
void cbn_link_result_free(struct cbn_link_result *result);

#endif
