/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries, their kernels and globals. */
#include "sim.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GLOBAL_SPACING = 1 << 20 };

struct CUlib_st *sim_find_library(CUlibrary library)
{
    for (struct CUlib_st *found = sim.libraries; found; found = found->next) {
        if (found == library) {
            return found;
        }
    }
    return NULL;
}

struct CUkern_st *sim_find_kernel(CUkernel kernel)
{
    for (struct CUlib_st *library = sim.libraries; library; library = library->next) {
        for (size_t i = 0; i < library->contents.kernel_count; i++) {
            if (&library->kernels[i] == kernel) {
                return kernel;
            }
        }
    }
    return NULL;
}

static struct CUfunc_st *kernel_function(struct CUkern_st *kernel, const struct CUfunc_st *function)
{
    for (struct CUfunc_st *found = kernel->functions; found; found = found->next) {
        if (found == function) {
            return found;
        }
    }
    return NULL;
}

struct CUfunc_st *sim_find_function(CUfunction function)
{
    struct CUfunc_st *found = NULL;
    for (struct CUlib_st *library = sim.libraries; library && !found; library = library->next) {
        for (size_t i = 0; i < library->contents.kernel_count && !found; i++) {
            found = kernel_function(&library->kernels[i], function);
        }
    }
    return found;
}

void sim_library_free(struct CUlib_st *library)
{
    for (size_t i = 0; library->kernels && i < library->contents.kernel_count; i++) {
        while (library->kernels[i].functions) {
            struct CUfunc_st *next = library->kernels[i].functions->next;
            free(library->kernels[i].functions);
            library->kernels[i].functions = next;
        }
    }
    free(library->kernels);
    contents_free(&library->contents);
    free(library);
}

/* The error-log options are the only ones that Cubinet passes. */
static cbn_cu_result read_jit_options(const unsigned int *options, void *const *values, unsigned int count,
                                      char **out_log, size_t *out_log_size)
{
    for (unsigned int i = 0; i < count; i++) {
        if (options[i] == CBN_CU_JIT_ERROR_LOG_BUFFER) {
            *out_log = values[i];
        } else if (options[i] == CBN_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            *out_log_size = (size_t)(uintptr_t)values[i];
        } else {
            return sim_misuse(CBN_CU_INVALID_VALUE, "cuLibraryLoadData: unknown JIT option %u", options[i]);
        }
    }
    return CBN_CU_SUCCESS;
}

static bool make_kernels(struct CUlib_st *library)
{
    size_t count = library->contents.kernel_count;
    library->kernels = calloc(count ? count : 1, sizeof(*library->kernels));
    for (size_t i = 0; library->kernels && i < count; i++) {
        library->kernels[i].library = library;
        library->kernels[i].contents = &library->contents.kernels[i];
    }
    return library->kernels != NULL;
}

cbn_cu_result sim_cuLibraryLoadData(CUlibrary *library, const void *code, unsigned int *jit_options,
                                    void **jit_values, unsigned int jit_count, unsigned int *library_options,
                                    void **library_values, unsigned int library_count)
{
    (void)library_options;
    (void)library_values;
    char nowhere[1];
    char *log = nowhere;
    size_t log_size = sizeof(nowhere);
    if (!code || library_count) {
        return CBN_CU_INVALID_VALUE;
    }
    cbn_cu_result result = read_jit_options(jit_options, jit_values, jit_count, &log, &log_size);
    if (result != CBN_CU_SUCCESS) {
        return result;
    }
    struct CUlib_st *made = calloc(1, sizeof(*made));
    if (!made) {
        return CBN_CU_OUT_OF_MEMORY;
    }
    result = sim_image_read(code, made, log, log_size);
    if (result == CBN_CU_SUCCESS && !make_kernels(made)) {
        result = CBN_CU_OUT_OF_MEMORY;
    }
    if (result != CBN_CU_SUCCESS) {
        sim_library_free(made);
        return result;
    }
    made->globals = sim.next_address;
    sim.next_address += (CUdeviceptr)SIMDRIVER_MAX_DEVICES * GLOBAL_SPACING;
    made->next = sim.libraries;
    sim.libraries = made;
    *library = made;
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuLibraryUnload(CUlibrary library)
{
    for (struct CUlib_st **link = &sim.libraries; *link; link = &(*link)->next) {
        if (*link == library) {
            *link = library->next;
            sim_library_free(library);
            return CBN_CU_SUCCESS;
        }
    }
    return sim_misuse(CBN_CU_INVALID_HANDLE, "cuLibraryUnload of a library that is not loaded");
}

/* Success if some device can run the library's code; otherwise what the driver says of all its names. */
static cbn_cu_result library_verdict(CUlibrary library, const char *call)
{
    if (!sim_find_library(library)) {
        return sim_misuse(CBN_CU_INVALID_HANDLE, "%s of a library that is not loaded", call);
    }
    return library->runs_somewhere ? CBN_CU_SUCCESS : library->verdicts[0];
}

cbn_cu_result sim_cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
    if (!sim_find_library(library)) {
        return sim_misuse(CBN_CU_INVALID_HANDLE, "cuLibraryGetKernelCount of a library that is not loaded");
    }
    *count = library->runs_somewhere ? (unsigned int)library->contents.kernel_count : 0;
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    cbn_cu_result result = library_verdict(library, "cuLibraryGetKernel");
    if (result != CBN_CU_SUCCESS) {
        return result;
    }
    for (size_t i = 0; i < library->contents.kernel_count; i++) {
        if (strcmp(library->contents.kernels[i].name, name) == 0) {
            *kernel = &library->kernels[i];
            return CBN_CU_SUCCESS;
        }
    }
    return CBN_CU_NOT_FOUND;
}

cbn_cu_result sim_cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
    if (!sim_find_kernel(kernel)) {
        return sim_misuse(CBN_CU_INVALID_HANDLE, "cuKernelGetParamInfo of a kernel that is gone");
    }
    const cubinet_kernel_resources *resources = &kernel->contents->resources;
    if (resources->param_count == CUBINET_UNKNOWN || index >= resources->param_count) {
        return CBN_CU_INVALID_VALUE;
    }
    *offset = resources->params[index].offset;
    *size = resources->params[index].size;
    return CBN_CU_SUCCESS;
}

static cbn_cu_result find_global(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name,
                                 bool managed)
{
    struct CUctx_st *context = NULL;
    cbn_cu_result result = library_verdict(library, managed ? "cuLibraryGetManaged" : "cuLibraryGetGlobal");
    if (result == CBN_CU_SUCCESS) {
        result = sim_need_context(&context);
    }
    if (result == CBN_CU_SUCCESS) {
        result = library->verdicts[context->device];
    }
    if (result != CBN_CU_SUCCESS) {
        return result;
    }
    CUdeviceptr next = library->globals + (CUdeviceptr)context->device * GLOBAL_SPACING;
    for (size_t i = 0; i < library->contents.global_count; i++) {
        const struct contents_global *global = &library->contents.globals[i];
        if (strcmp(global->name, name) == 0 && (global->is_managed != 0) == managed) {
            *address = next;
            *bytes = (size_t)global->bytes;
            return CBN_CU_SUCCESS;
        }
        next += (global->bytes + 255) / 256 * 256;
    }
    return CBN_CU_NOT_FOUND;
}

cbn_cu_result sim_cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    return find_global(address, bytes, library, name, false);
}

cbn_cu_result sim_cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                                      const char *name)
{
    return find_global(address, bytes, library, name, true);
}

cbn_cu_result sim_cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    if (!sim_find_kernel(kernel)) {
        return sim_misuse(CBN_CU_INVALID_HANDLE, "cuKernelGetFunction of a kernel that is gone");
    }
    struct CUctx_st *context = NULL;
    cbn_cu_result result = sim_need_context(&context);
    if (result == CBN_CU_SUCCESS) {
        result = kernel->library->verdicts[context->device];
    }
    if (result != CBN_CU_SUCCESS) {
        return result;
    }
    struct CUfunc_st *found = kernel->functions;
    while (found && found->context != context) {
        found = found->next;
    }
    if (!found && sim.captured && !sim_is_relaxed()) {
        return sim_misuse(CBN_CU_INVALID_VALUE, "code is placed on a device while a stream is captured");
    }
    if (!found) {
        found = calloc(1, sizeof(*found));
        if (!found) {
            return CBN_CU_OUT_OF_MEMORY;
        }
        *found = (struct CUfunc_st){.kernel = kernel, .context = context, .next = kernel->functions};
        kernel->functions = found;
    }
    *function = found;
    return CBN_CU_SUCCESS;
}
