/* SPDX-License-Identifier: Apache-2.0 */
#include "image/contents.h"

#include "base/array.h"
#include "loader/core/support/error.h"
#include "loader/link/dependency.h"

#include <stdlib.h>
#include <string.h>

void contents_free(struct contents *contents)
{
    for (size_t i = 0; i < contents->kernel_count; i++) {
        free(contents->kernels[i].name);
        free(contents->kernels[i].expression);
        free(contents->kernels[i].params);
        launch_record_free(&contents->kernels[i].launch);
    }
    for (size_t i = 0; i < contents->global_count; i++) {
        free(contents->globals[i].name);
    }
    free(contents->kernels);
    free(contents->globals);
    symbol_list_free(&contents->symbols);
    *contents = (struct contents){0};
}

struct contents_kernel *contents_add_kernel(struct contents *contents, const char *name, size_t name_size)
{
    struct contents_kernel *kernels =
        array_grow(contents->kernels, contents->kernel_count, sizeof(*contents->kernels));
    if (!kernels) {
        return NULL;
    }
    contents->kernels = kernels;
    char *copy = strndup(name, name_size);
    if (!copy) {
        return NULL;
    }
    struct contents_kernel *kernel = &kernels[contents->kernel_count++];
    *kernel = (struct contents_kernel){
        .name = copy,
        .resources =
            {
                .size = sizeof(kernel->resources),
                .registers = CUBINET_UNKNOWN,
                .static_shared_bytes = CUBINET_UNKNOWN,
                .local_bytes = CUBINET_UNKNOWN,
                .constant_bytes = CUBINET_UNKNOWN,
                .max_threads_per_block = CUBINET_UNKNOWN,
                .spill_store_bytes = CUBINET_UNKNOWN,
                .spill_load_bytes = CUBINET_UNKNOWN,
                .barriers = CUBINET_UNKNOWN,
            },
        .launch = LAUNCH_RECORD_EMPTY,
    };
    return kernel;
}

struct contents_global *contents_add_global(struct contents *contents, const char *name, size_t name_size)
{
    struct contents_global *globals =
        array_grow(contents->globals, contents->global_count, sizeof(*contents->globals));
    if (!globals) {
        return NULL;
    }
    contents->globals = globals;
    char *copy = strndup(name, name_size);
    if (!copy) {
        return NULL;
    }
    struct contents_global *global = &globals[contents->global_count++];
    *global = (struct contents_global){.name = copy};
    return global;
}

cubinet_param *contents_add_param(struct contents_kernel *kernel)
{
    cubinet_param *params =
        array_grow(kernel->params, kernel->resources.param_count, sizeof(*kernel->params));
    if (!params) {
        return NULL;
    }
    kernel->params = params;
    kernel->resources.params = params;
    cubinet_param *param = &params[kernel->resources.param_count++];
    *param = (cubinet_param){0};
    return param;
}

void contents_keep_names(struct contents *contents)
{
    contents->target = (cubinet_target){0};
    contents->toolkit = 0;
    contents->ptx_isa = 0;
    for (size_t i = 0; i < contents->kernel_count; i++) {
        struct contents_kernel *kernel = &contents->kernels[i];
        memset(&kernel->resources, 0xff, sizeof(kernel->resources)); /* CUBINET_UNKNOWN, every number */
        kernel->resources.size = sizeof(kernel->resources);
        kernel->resources.params = NULL;
        free(kernel->params);
        kernel->params = NULL;
        launch_record_free(&kernel->launch);
    }
}

static bool is_listed(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

void contents_drop_unused_globals(struct contents *contents, const struct symbol_list *symbols,
                                  const char *const *keep, size_t keep_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < contents->global_count; i++) {
        struct contents_global *global = &contents->globals[i];
        const struct symbol *symbol = symbol_list_find(symbols, global->name);
        if (symbol && symbol->is_weak && !symbol->is_used && !is_listed(global->name, keep, keep_count)) {
            free(global->name);
        } else {
            contents->globals[kept++] = *global;
        }
    }
    contents->global_count = kept;
}

static int compare_kernels(const void *a, const void *b)
{
    const struct contents_kernel *left = a;
    const struct contents_kernel *right = b;
    return strcmp(left->name, right->name);
}

static struct contents_kernel *find_kernel(struct contents *contents, const char *name, size_t size)
{
    size_t first = 0;
    for (size_t count = contents->kernel_count; count > 0; count /= 2) {
        struct contents_kernel *middle = &contents->kernels[first + count / 2];
        int order = strncmp(middle->name, name, size);
        if (order == 0 && middle->name[size] == '\0') {
            return middle;
        }
        if (order < 0) {
            first += count / 2 + 1;
            count--;
        }
    }
    return NULL;
}

void contents_note_dynamic_shared(void *contents, const char *name, size_t size)
{
    struct contents_kernel *kernel = find_kernel(contents, name, size);
    if (kernel) {
        kernel->launch.known.flags |= CUBINET_RECORD_TAKES_DYNAMIC_SHARED;
    }
}

bool contents_note_dependency(void *contents, const char *name, size_t size, unsigned flags)
{
    struct contents *noted = contents;
    struct contents_kernel *kernel = name ? find_kernel(noted, name, size) : NULL;
    uint32_t known = (flags & CBN_DEPENDENCY_WAITS ? CUBINET_RECORD_WAITS : 0U) |
                     (flags & CBN_DEPENDENCY_TRIGGERS ? CUBINET_RECORD_TRIGGERS : 0U);
    if (kernel) {
        kernel->launch.known.flags |= known;
    }
    for (size_t i = 0; !name && i < noted->kernel_count; i++) {
        noted->kernels[i].launch.known.flags |= known;
    }
    return kernel != NULL;
}

static int compare_name(const void *name, const void *kernel)
{
    return strcmp(name, ((const struct contents_kernel *)kernel)->name);
}

cubinet_status contents_take_launches(struct contents *contents, const struct contents *source)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < source->kernel_count; i++) {
        const struct contents_kernel *from = &source->kernels[i];
        struct contents_kernel *kernel =
            bsearch(from->name, contents->kernels, contents->kernel_count, sizeof(*kernel), compare_name);
        if (kernel) {
            kernel->launch.known.flags |= from->launch.known.flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED;
        }
        if (kernel && from->launch.known.param_name_count == kernel->resources.param_count) {
            status = launch_record_override(
                &kernel->launch,
                &(struct launch_record){.known = {.dynamic_shared_bytes = CUBINET_UNKNOWN,
                                                  .param_names = from->launch.known.param_names,
                                                  .param_name_count = from->launch.known.param_name_count}});
        }
    }
    return status;
}

uint32_t contents_global_flags(const struct contents_global *global)
{
    return (global->is_constant ? CUBINET_GLOBAL_CONSTANT : 0u) |
           (global->is_managed ? CUBINET_GLOBAL_MANAGED : 0u);
}

bool contents_has_kernel(const struct contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->kernel_count; i++) {
        if (strcmp(contents->kernels[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool contents_fit(const struct contents *contents, cubinet_target target)
{
    cubinet_target read = contents->target;
    bool same_suffix = target.suffix == read.suffix ||
                       (target.kind == CUBINET_IMAGE_CUBIN && target.suffix == 'f' && read.suffix == 0);
    return target.kind == read.kind && target.number == read.number && same_suffix;
}

static int compare_globals(const void *a, const void *b)
{
    const struct contents_global *left = a;
    const struct contents_global *right = b;
    return strcmp(left->name, right->name);
}

void contents_sort(struct contents *contents)
{
    if (contents->kernel_count > 1) {
        qsort(contents->kernels, contents->kernel_count, sizeof(*contents->kernels), compare_kernels);
    }
    if (contents->global_count > 1) {
        qsort(contents->globals, contents->global_count, sizeof(*contents->globals), compare_globals);
    }
    symbol_list_sort(&contents->symbols);
}

cubinet_status contents_move(struct contents *to, struct contents *from)
{
    while (from->kernel_count > 0) {
        struct contents_kernel *kernels = array_grow(to->kernels, to->kernel_count, sizeof(*kernels));
        if (!kernels) {
            return cbn_error_memory();
        }
        to->kernels = kernels;
        kernels[to->kernel_count++] = from->kernels[--from->kernel_count];
    }
    while (from->global_count > 0) {
        struct contents_global *globals = array_grow(to->globals, to->global_count, sizeof(*globals));
        if (!globals) {
            return cbn_error_memory();
        }
        to->globals = globals;
        globals[to->global_count++] = from->globals[--from->global_count];
    }
    to->ptx_isa = to->ptx_isa > from->ptx_isa ? to->ptx_isa : from->ptx_isa;
    to->toolkit = to->toolkit > from->toolkit ? to->toolkit : from->toolkit;
    contents_sort(to);
    return CUBINET_OK;
}
