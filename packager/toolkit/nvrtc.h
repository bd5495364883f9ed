/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC, opened at run time: one compile of one source for one virtual architecture. */
#ifndef NVRTC_H
#define NVRTC_H

#include "loader/core/support/dynlib.h"

#include <cubinet/target.h>

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

/* NVRTC's types, as nvrtc.h declares them. */
typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

/* X(name, result, parameters, required, since) */
#define NVRTC_FUNCTIONS(X)                                                                                   \
    X(nvrtcGetErrorString, const char *, (nvrtcResult result), true, 7000)                                   \
    X(nvrtcVersion, nvrtcResult, (int *major, int *minor), true, 7000)                                       \
    X(nvrtcGetNumSupportedArchs, nvrtcResult, (int *count), true, 11020)                                     \
    X(nvrtcGetSupportedArchs, nvrtcResult, (int *numbers), true, 11020)                                      \
    X(nvrtcCreateProgram, nvrtcResult,                                                                       \
      (nvrtcProgram * program, const char *source, const char *name, int header_count,                       \
       const char *const *headers, const char *const *header_names),                                         \
      true, 7000)                                                                                            \
    X(nvrtcDestroyProgram, nvrtcResult, (nvrtcProgram * program), true, 7000)                                \
    X(nvrtcCompileProgram, nvrtcResult, (nvrtcProgram program, int count, const char *const *options), true, \
      7000)                                                                                                  \
    X(nvrtcGetPTXSize, nvrtcResult, (nvrtcProgram program, size_t * size), true, 7000)                       \
    X(nvrtcGetPTX, nvrtcResult, (nvrtcProgram program, char *ptx), true, 7000)                               \
    X(nvrtcGetLTOIRSize, nvrtcResult, (nvrtcProgram program, size_t * size), true, 12000)                    \
    X(nvrtcGetLTOIR, nvrtcResult, (nvrtcProgram program, char *lto_ir), true, 12000)                         \
    X(nvrtcGetOptiXIRSize, nvrtcResult, (nvrtcProgram program, size_t * size), true, 11070)                  \
    X(nvrtcGetOptiXIR, nvrtcResult, (nvrtcProgram program, char *optix_ir), true, 11070)                     \
    X(nvrtcGetTileIRSize, nvrtcResult, (nvrtcProgram program, size_t * size), false, 13030)                  \
    X(nvrtcGetTileIR, nvrtcResult, (nvrtcProgram program, char *tile_ir), false, 13030)                      \
    X(nvrtcGetProgramLogSize, nvrtcResult, (nvrtcProgram program, size_t * size), true, 7000)                \
    X(nvrtcGetProgramLog, nvrtcResult, (nvrtcProgram program, char *log), true, 7000)                        \
    X(nvrtcAddNameExpression, nvrtcResult, (nvrtcProgram program, const char *expression), true, 8000)       \
    X(nvrtcGetLoweredName, nvrtcResult,                                                                      \
      (nvrtcProgram program, const char *expression, const char **lowered), true, 8000)                      \
    X(nvrtcInstallBundledHeaders, nvrtcResult, (const char *folder, unsigned flags, const char **log),       \
      false, 13030)                                                                                          \
    X(nvrtcGetPCHCreateStatus, nvrtcResult, (nvrtcProgram program), false, 12080)                            \
    X(nvrtcGetPCHHeapSizeRequired, nvrtcResult, (nvrtcProgram program, size_t * size), false, 12080)         \
    X(nvrtcGetPCHHeapSize, nvrtcResult, (size_t * size), false, 12080)                                       \
    X(nvrtcSetPCHHeapSize, nvrtcResult, (size_t size), false, 12080)

struct nvrtc_table {
#define NVRTC_FIELD(name, result, parameters, required, since) result(*name) parameters;
    NVRTC_FUNCTIONS(NVRTC_FIELD)
#undef NVRTC_FIELD
};

struct nvrtc {
    struct cbn_library library;
    struct nvrtc_table table;
    int version;    /* 1000 × major + 10 × minor */
    int *supported; /* compute capabilities that it compiles for, without suffixes, ascending */
    size_t supported_count;
};

/* Opens the library that `search` finds. A failure is CUBINET_ERROR_TOOLKIT. */
cubinet_status nvrtc_open(const struct cbn_library_search *search, struct nvrtc *out_nvrtc);
void nvrtc_close(struct nvrtc *nvrtc);

/* Opens the library of built-in declarations that lies beside NVRTC, which of NVIDIA's wheels does not find
 * it itself. nvrtc_open() does so; again where there was no room for it then. What cannot be opened, NVRTC
 * says. */
void nvrtc_load_builtins(const struct nvrtc *nvrtc);

/* Unpacks the headers that NVRTC brings into a folder, if they are not there; other processes that do the
 * same are waited for. CUBINET_ERROR_TOOLKIT if it has none, CUBINET_ERROR_IO if they can't be written. */
cubinet_status nvrtc_install_headers(const struct nvrtc *nvrtc, const char *folder);

struct nvrtc_job {
    const char *source; /* its text */
    const char *name;   /* its path, as messages and #include "…" shall see it */
    const char *const *options;
    size_t option_count;
    const char *const *expressions; /* name expressions of kernels and variables */
    size_t expression_count;
    cubinet_image_kind makes; /* what comes out, as the options say: LTO-IR (-dlto) or OptiX-IR (-optix-ir);
                               * 0: PTX */
    bool wants_tile;          /* the options may have tile kernels compiled: their Tile IR is wanted, too */
    const char *empty_header; /* there is a header of this name, with nothing in it; NULL: there is none */
    bool creates_pch; /* the options say -create-pch: the result says what came of it, and has no image */
};

struct nvrtc_result {
    char *log;   /* "" if there is nothing to say */
    char *image; /* PTX (NUL-terminated, the NUL not counted), LTO-IR or OptiX-IR */
    size_t size;
    char *tile; /* Tile IR of the source's tile kernels; NULL if it has none, or none is wanted */
    size_t tile_size;
    char **lowered; /* one name for each expression */
    size_t lowered_count;
    nvrtcResult pch_status; /* of -create-pch: NVRTC's, 0 if there is a precompiled header */
    size_t pch_heap;        /* bytes that it takes in memory */
};

/* Of a precompiled header: there was too little memory set aside for it. */
enum { NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14 };

/* Compiles. `out_result->log` is filled for a refused source as well as for a success, and the caller frees
 * the result in both cases.
 * CUBINET_ERROR_COMPILE: the source or an option was refused, and the log says why. */
cubinet_status nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_job *job,
                             struct nvrtc_result *out_result);
void nvrtc_result_free(struct nvrtc_result *result);

#endif
