/* SPDX-License-Identifier: Apache-2.0 */
#include "image/cubin.h"

#include "loader/core/support/error.h"
#include "loader/link/dependency.h"
#include "loader/link/dynamic_shared.h"
#include "loader/link/read_cubin.h"

#include <elf.h>
#include <string.h>

bool cubin_is(const void *data, size_t size)
{
    Elf64_Ehdr header = {0};
    memcpy(&header, data, size < sizeof(header) ? size : sizeof(header));
    return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_CUDA;
}

static cubinet_status add_kernel(struct contents *contents, const struct cbn_cubin_kernel *read)
{
    struct contents_kernel *kernel = contents_add_kernel(contents, read->name, strlen(read->name));
    for (uint32_t i = 0; kernel && i < read->resources.param_count; i++) {
        cubinet_param *param = contents_add_param(kernel);
        if (!param) {
            return cbn_error_memory();
        }
        *param = read->params[i];
    }
    if (!kernel) {
        return cbn_error_memory();
    }
    kernel->resources = read->resources;
    kernel->resources.params = kernel->params;
    return CUBINET_OK;
}

static cubinet_status add_global(struct contents *contents, const struct cbn_cubin_global *read)
{
    struct contents_global *global = contents_add_global(contents, read->name, strlen(read->name));
    if (!global) {
        return cbn_error_memory();
    }
    global->bytes = read->bytes;
    global->is_constant = read->is_constant;
    global->is_managed = read->is_managed;
    return CUBINET_OK;
}

void cubin_note_dynamic_shared(const void *data, size_t size, struct contents *contents)
{
    struct cbn_elf elf;
    if (!cbn_elf_open(&elf, data, size)) {
        cbn_dynamic_shared_of_cubin(&elf, cbn_cubin_number(data, size), contents_note_dynamic_shared,
                                    contents);
    }
}

void cubin_note_dependency(const void *data, size_t size, struct contents *contents)
{
    struct cbn_elf elf;
    if (!cbn_elf_open(&elf, data, size)) {
        cbn_dependency_of_cubin(&elf, cbn_cubin_number(data, size), contents_note_dependency, contents);
    }
}

cubinet_status cubin_read(const void *data, size_t size, struct contents *out_contents)
{
    struct cbn_cubin cubin;
    cubinet_status status = cbn_cubin_read(data, size, &cubin);
    if (status) {
        return status;
    }
    struct contents contents = {.target = cubin.target, .toolkit = cubin.toolkit};
    for (size_t i = 0; i < cubin.kernel_count && !status; i++) {
        status = add_kernel(&contents, &cubin.kernels[i]);
    }
    for (size_t i = 0; i < cubin.global_count && !status; i++) {
        status = add_global(&contents, &cubin.globals[i]);
    }
    cbn_cubin_free(&cubin);
    if (!status) {
        cubin_note_dynamic_shared(data, size, &contents);
        cubin_note_dependency(data, size, &contents);
    }
    if (status) {
        contents_free(&contents);
        return status;
    }
    *out_contents = contents;
    return CUBINET_OK;
}
