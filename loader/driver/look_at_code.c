/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/look_at_code.h"

#include "loader/core/archive/format.h"
#include "loader/driver/check_code.h"
#include "loader/driver/check_params.h"
#include "loader/link/dependency.h"
#include "loader/link/dynamic_shared.h"
#include "loader/link/param_count.h"
#include "loader/link/read_cubin.h"

#include <string.h>

/* The kernel of a lowered name, which is not NUL-terminated; NULL if the module has none. They are in order.
 */
static struct cubinet_kernel *find_kernel(struct cubinet_module *module, const char *name, size_t size)
{
    uint32_t first = 0;
    for (uint32_t count = module->kernel_count; count > 0; count /= 2) {
        struct cubinet_kernel *middle = &module->kernels[first + count / 2];
        const char *found = cbn_kernel_name(middle);
        int order = strncmp(found, name, size);
        if (order == 0 && found[size] == '\0') {
            return middle;
        }
        if (order < 0) {
            first += count / 2 + 1;
            count--;
        }
    }
    return NULL;
}

static void note_dynamic_shared(void *user, const char *name, size_t size)
{
    struct cubinet_kernel *kernel = find_kernel(user, name, size);
    if (kernel) {
        kernel->uses_dynamic_shared = true;
    }
}

static void add_dependency(struct cubinet_kernel *kernel, unsigned flags)
{
    kernel->dependency |= (flags & CBN_DEPENDENCY_WAITS ? CUBINET_RECORD_WAITS : 0U) |
                          (flags & CBN_DEPENDENCY_TRIGGERS ? CUBINET_RECORD_TRIGGERS : 0U);
    kernel->never_waits = !(kernel->dependency & CUBINET_RECORD_WAITS);
}

static bool note_dependency(void *user, const char *name, size_t size, unsigned flags)
{
    struct cubinet_module *module = user;
    struct cubinet_kernel *kernel = name ? find_kernel(module, name, size) : NULL;
    if (kernel) {
        add_dependency(kernel, flags);
    }
    for (uint32_t i = 0; !name && i < module->kernel_count; i++) {
        add_dependency(&module->kernels[i], flags);
    }
    return kernel != NULL;
}

static bool is_readable(const cubinet_image_info *info)
{
    return info->target.kind == CUBINET_IMAGE_CUBIN || info->target.kind == CUBINET_IMAGE_PTX;
}

bool cbn_records_code(const cubinet_archive *archive, const cubinet_image_info *info)
{
    cubinet_archive_info of_archive = {.size = sizeof(of_archive)};
    return is_readable(info) && !cubinet_archive_get_info(archive, &of_archive) &&
           of_archive.format_minor >= CBN_FORMAT_DEPENDENCY;
}

/* Of archives that do not record it, and of code that was linked just now. */
static void look_for_dependency(struct cubinet_module *module, const cubinet_image_info *info,
                                const struct cbn_elf *elf, const void *code)
{
    if (!is_readable(info)) {
        return;
    }
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        add_dependency(&module->kernels[i], 0);
    }
    if (info->target.kind == CUBINET_IMAGE_CUBIN) {
        cbn_dependency_of_cubin(elf, cbn_cubin_number(code, (size_t)info->raw_size), note_dependency, module);
    } else {
        cbn_dependency_of_ptx(code, strlen(code), note_dependency, module);
    }
}

static cubinet_status look_at_cubin(struct cubinet_module *module, struct cbn_part *part,
                                    const cubinet_image_info *info, const struct cbn_elf *elf,
                                    const void *code, bool is_recorded)
{
    if (!is_recorded) {
        cbn_dynamic_shared_of_cubin(elf, cbn_cubin_number(code, (size_t)info->raw_size), note_dynamic_shared,
                                    module);
    }
    if (cbn_compares_params(module)) {
        cbn_param_counts_of_cubin(elf, &part->params); /* if it fails, the driver is asked */
    }
    return cbn_check_params_of_cubin(module, code, (size_t)info->raw_size);
}

static cubinet_status look_at_ptx(struct cubinet_module *module, struct cbn_part *part, const char *code,
                                  bool is_recorded)
{
    size_t size = strlen(code);
    if (cbn_compares_params(module)) {
        cbn_param_counts_of_ptx(code, size, &part->params);
    }
    return is_recorded ? CUBINET_OK : cbn_dynamic_shared_of_ptx(code, size, note_dynamic_shared, module);
}

/* Archives with parts are new enough to record which kernels take dynamic shared memory, if not which wait.
 */
cubinet_status cbn_look_at_code(struct cubinet_module *module, uint32_t part, const cubinet_image_info *info,
                                const void *code)
{
    struct cbn_part *loaded = &module->code->parts[part];
    struct cbn_elf elf;
    cubinet_status status = cbn_check_code(module->archive, module->index, info, code, &elf);
    if (status) {
        return status;
    }
    bool is_recorded = info->part_count > 1 || cbn_records_code(module->archive, info);
    if (!is_recorded) {
        look_for_dependency(module, info, &elf, code);
    }
    switch (info->target.kind) {
    case CUBINET_IMAGE_CUBIN:
        return look_at_cubin(module, loaded, info, &elf, code, is_recorded);
    case CUBINET_IMAGE_PTX:
        return look_at_ptx(module, loaded, code, is_recorded);
    default:
        return CUBINET_OK;
    }
}
