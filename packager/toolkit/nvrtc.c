/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/nvrtc.h"

#include "base/kept_signals.h"
#include "loader/core/support/error.h"
#include "process/trace.h"
#include "toolkit/nvrtc_trace.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cbn_symbol symbols[] = {
#define NVRTC_SYMBOL(name, result, parameters, required, since)                                              \
    {#name, offsetof(struct nvrtc_table, name), required, since},
    NVRTC_FUNCTIONS(NVRTC_SYMBOL)
#undef NVRTC_SYMBOL
};

static cubinet_status fail(const struct nvrtc *nvrtc, nvrtcResult result, const char *call)
{
    return cbn_error(CUBINET_ERROR_TOOLKIT, "NVRTC: %s: %s (%d)", call,
                     nvrtc->table.nvrtcGetErrorString(result), result);
}

static cubinet_status read_supported(struct nvrtc *nvrtc)
{
    int count = 0;
    nvrtcResult result = nvrtc->table.nvrtcGetNumSupportedArchs(&count);
    if (result != 0 || count <= 0) {
        return fail(nvrtc, result, "nvrtcGetNumSupportedArchs");
    }
    nvrtc->supported = calloc((size_t)count, sizeof(*nvrtc->supported));
    if (!nvrtc->supported) {
        return cbn_error_memory();
    }
    nvrtc->supported_count = (size_t)count;
    result = nvrtc->table.nvrtcGetSupportedArchs(nvrtc->supported);
    return result == 0 ? CUBINET_OK : fail(nvrtc, result, "nvrtcGetSupportedArchs");
}

/* NVRTC opens its library of built-ins by its name alone, which the dynamic loader finds only in the folders
 * that it knows, and a Python package's is none of them. A library that is loaded already serves such a name,
 * so this loads the one beside NVRTC. If there is none, NVRTC finds another, or says so. */
void nvrtc_load_builtins(const struct nvrtc *nvrtc)
{
    const char *slash = nvrtc->library.path ? strrchr(nvrtc->library.path, '/') : NULL;
    char *path = NULL;
    if (!slash || asprintf(&path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - nvrtc->library.path),
                           nvrtc->library.path, nvrtc->version / 1000, nvrtc->version % 1000 / 10) < 0) {
        return;
    }
    void *builtins = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (builtins) {
        dlclose(builtins);
    }
    free(path);
}

cubinet_status nvrtc_open(const struct cbn_library_search *search, struct nvrtc *out_nvrtc)
{
    struct nvrtc nvrtc = {0};
    trace_begin("load NVRTC", search->path);
    cubinet_status status = cbn_library_open(search, CUBINET_ERROR_TOOLKIT, &nvrtc.library);
    trace_end();
    if (status) {
        return status;
    }
    status = cbn_library_resolve(&nvrtc.library, symbols, sizeof(symbols) / sizeof(symbols[0]), &nvrtc.table,
                                 CUBINET_ERROR_TOOLKIT);
    int major = 0;
    int minor = 0;
    if (!status) {
        nvrtcResult result = nvrtc.table.nvrtcVersion(&major, &minor);
        status = result == 0 ? read_supported(&nvrtc) : fail(&nvrtc, result, "nvrtcVersion");
    }
    if (status) {
        nvrtc_close(&nvrtc);
        return status;
    }
    nvrtc.version = 1000 * major + 10 * minor;
    nvrtc_load_builtins(&nvrtc);
    *out_nvrtc = nvrtc;
    return CUBINET_OK;
}

void nvrtc_close(struct nvrtc *nvrtc)
{
    cbn_library_close(&nvrtc->library);
    free(nvrtc->supported);
    *nvrtc = (struct nvrtc){0};
}

cubinet_status nvrtc_install_headers(const struct nvrtc *nvrtc, const char *folder)
{
    const char *log = NULL;
    if (!nvrtc->table.nvrtcInstallBundledHeaders) {
        return cbn_error(CUBINET_ERROR_TOOLKIT, "NVRTC of CUDA %d.%d brings no headers",
                         nvrtc->version / 1000, nvrtc->version % 1000 / 10);
    }
    nvrtcResult result = nvrtc->table.nvrtcInstallBundledHeaders(folder, 0, &log);
    return result == 0
               ? CUBINET_OK
               : cbn_error(CUBINET_ERROR_IO, "NVRTC cannot put its headers into '%s': %s (%d)", folder,
                           log && log[0] ? log : nvrtc->table.nvrtcGetErrorString(result), result);
}

static char *read_log(const struct nvrtc *nvrtc, nvrtcProgram program)
{
    size_t size = 0;
    if (nvrtc->table.nvrtcGetProgramLogSize(program, &size) != 0) {
        size = 0;
    }
    char *log = calloc(size + 1, 1);
    if (log && size > 0 && nvrtc->table.nvrtcGetProgramLog(program, log) != 0) {
        log[0] = '\0';
    }
    return log;
}

/* The two calls that read an image. */
struct reading {
    const char *call;
    nvrtcResult (*size)(nvrtcProgram program, size_t *size);
    nvrtcResult (*get)(nvrtcProgram program, char *image);
};

static struct reading reading_of(const struct nvrtc_table *table, cubinet_image_kind kind)
{
    switch (kind) {
    case CUBINET_IMAGE_LTOIR:
        return (struct reading){"nvrtcGetLTOIR", table->nvrtcGetLTOIRSize, table->nvrtcGetLTOIR};
    case CUBINET_IMAGE_OPTIXIR:
        return (struct reading){"nvrtcGetOptiXIR", table->nvrtcGetOptiXIRSize, table->nvrtcGetOptiXIR};
    default:
        return (struct reading){"nvrtcGetPTX", table->nvrtcGetPTXSize, table->nvrtcGetPTX};
    }
}

static cubinet_status read_image(const struct nvrtc *nvrtc, nvrtcProgram program, cubinet_image_kind kind,
                                 struct nvrtc_result *out)
{
    const struct reading reading = reading_of(&nvrtc->table, kind);
    size_t size = 0;
    nvrtcResult result = reading.size(program, &size);
    if (result != 0 || size == 0) {
        return fail(nvrtc, result, reading.call);
    }
    out->image = calloc(size + 1, 1);
    if (!out->image) {
        return cbn_error_memory();
    }
    result = reading.get(program, out->image);
    out->size = kind ? size : strlen(out->image);
    return result == 0 ? CUBINET_OK : fail(nvrtc, result, reading.call);
}

/* Tile IR comes beside the image: it is of the kernels that are not in that. */
static cubinet_status read_tile(const struct nvrtc *nvrtc, nvrtcProgram program, struct nvrtc_result *out)
{
    size_t size = 0;
    if (!nvrtc->table.nvrtcGetTileIRSize || !nvrtc->table.nvrtcGetTileIR) {
        return cbn_error(CUBINET_ERROR_TOOLKIT,
                         "NVRTC of CUDA %d.%d has no CUDA Tile C++, which CUDA 13.3 and later have",
                         nvrtc->version / 1000, nvrtc->version % 1000 / 10);
    }
    nvrtcResult result = nvrtc->table.nvrtcGetTileIRSize(program, &size);
    if (result != 0 || size == 0) {
        return result == 0 ? CUBINET_OK : fail(nvrtc, result, "nvrtcGetTileIRSize");
    }
    out->tile = malloc(size);
    if (!out->tile) {
        return cbn_error_memory();
    }
    out->tile_size = size;
    result = nvrtc->table.nvrtcGetTileIR(program, out->tile);
    return result == 0 ? CUBINET_OK : fail(nvrtc, result, "nvrtcGetTileIR");
}

static cubinet_status add_expressions(const struct nvrtc *nvrtc, nvrtcProgram program,
                                      const struct nvrtc_job *job)
{
    for (size_t i = 0; i < job->expression_count; i++) {
        nvrtcResult result = nvrtc->table.nvrtcAddNameExpression(program, job->expressions[i]);
        if (result != 0) {
            return fail(nvrtc, result, job->expressions[i]);
        }
    }
    return CUBINET_OK;
}

static cubinet_status read_lowered(const struct nvrtc *nvrtc, nvrtcProgram program,
                                   const struct nvrtc_job *job, struct nvrtc_result *out)
{
    out->lowered = calloc(job->expression_count + 1, sizeof(*out->lowered));
    if (!out->lowered) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < job->expression_count; i++) {
        const char *name = NULL;
        nvrtcResult result = nvrtc->table.nvrtcGetLoweredName(program, job->expressions[i], &name);
        if (result != 0) {
            return fail(nvrtc, result, job->expressions[i]);
        }
        out->lowered[i] = strdup(name);
        if (!out->lowered[i]) {
            return cbn_error_memory();
        }
        out->lowered_count++;
    }
    return CUBINET_OK;
}

static cubinet_status compile_program(const struct nvrtc *nvrtc, nvrtcProgram program,
                                      const struct nvrtc_job *job, nvrtcResult *out_result)
{
    struct nvrtc_trace trace;
    if (!trace_follows_headers()) {
        *out_result = nvrtc->table.nvrtcCompileProgram(program, (int)job->option_count, job->options);
        return CUBINET_OK;
    }
    cubinet_status status = nvrtc_trace_begin(nvrtc, job, &trace);
    if (!status) {
        *out_result = nvrtc->table.nvrtcCompileProgram(program, (int)trace.options.count,
                                                       (const char *const *)trace.options.items);
        nvrtc_trace_end(&trace);
    }
    return status;
}

static cubinet_status run(const struct nvrtc *nvrtc, nvrtcProgram program, const struct nvrtc_job *job,
                          struct nvrtc_result *out)
{
    cubinet_status status = add_expressions(nvrtc, program, job);
    if (status) {
        return status;
    }
    nvrtcResult result = 0;
    status = compile_program(nvrtc, program, job, &result);
    if (status) {
        return status;
    }
    out->log = read_log(nvrtc, program);
    if (!out->log) {
        return cbn_error_memory();
    }
    if (result != 0) {
        return cbn_error(CUBINET_ERROR_COMPILE, "%s: NVRTC: %s (%d)", job->name,
                         nvrtc->table.nvrtcGetErrorString(result), result);
    }
    if (job->creates_pch) {
        out->pch_status = nvrtc->table.nvrtcGetPCHCreateStatus(program);
        nvrtc->table.nvrtcGetPCHHeapSizeRequired(program, &out->pch_heap);
        return CUBINET_OK;
    }
    status = read_image(nvrtc, program, job->makes, out);
    if (!status && job->wants_tile) {
        status = read_tile(nvrtc, program, out);
    }
    return status ? status : read_lowered(nvrtc, program, job, out);
}

cubinet_status nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_job *job,
                             struct nvrtc_result *out_result)
{
    *out_result = (struct nvrtc_result){0};
    nvrtcProgram program = NULL;
    static const char *const nothing = "\n";
    nvrtcResult result = nvrtc->table.nvrtcCreateProgram(
        &program, job->source, job->name, job->empty_header ? 1 : 0, &nothing, &job->empty_header);
    if (result != 0) {
        return fail(nvrtc, result, "nvrtcCreateProgram");
    }
    kept_signals(true);
    cubinet_status status = run(nvrtc, program, job, out_result);
    kept_signals(false);
    nvrtc->table.nvrtcDestroyProgram(&program);
    return status;
}

void nvrtc_result_free(struct nvrtc_result *result)
{
    for (size_t i = 0; i < result->lowered_count; i++) {
        free(result->lowered[i]);
    }
    free(result->lowered);
    free(result->log);
    free(result->image);
    free(result->tile);
    *result = (struct nvrtc_result){0};
}
