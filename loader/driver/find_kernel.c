/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a kernel of a module, in the image that it has chosen. */
#include "loader/driver/find_kernel.h"

#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "loader/driver/errors.h"
#include "loader/driver/load_later.h"
#include "loader/driver/record.h"
#include "loader/driver/rest_module.h"

/* The kernel that was found, if the loaded image has it, or else the image's own with the same expression: a
 * kernel's name says for which architecture it was compiled if there is a type of CUB's in it. NULL if there
 * is none. */
static cubinet_kernel *in_image(const cubinet_module *module, cubinet_kernel *found)
{
    for (uint32_t i = 0; !found->is_recorded && i < module->kernel_count; i++) {
        cubinet_kernel *other = &module->kernels[i];
        if (other->is_recorded &&
            cbn_expression_equal(cbn_kernel_expression(found), cbn_kernel_expression(other))) {
            return other;
        }
    }
    return found->is_recorded ? found : NULL;
}

/* A kernel that a program asked for. */
static cubinet_status look_up(const cubinet_kernel *kernel)
{
    cbn_cu_result result = cbn_kernel_look_up(kernel);
    return result == CBN_CU_SUCCESS
               ? CUBINET_OK
               : cbn_driver_failed(&kernel->module->driver->cu, result, "cuLibraryGetKernel of '%s'",
                                   cbn_kernel_expression(kernel));
}

static cubinet_status not_in_image(const cubinet_module *module, const char *name)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_image_info image = {.size = sizeof(image)};
    cubinet_archive_get_image(module->archive, module->index, module->image, &image);
    return cbn_error(CUBINET_ERROR_NOT_FOUND,
                     "kernel '%s' is not in the %s image, which was loaded: it was compiled for other "
                     "architectures only",
                     name, cubinet_target_name(image.target, target));
}

/* A kernel that the image lacks, in what a slice left out. That is for the same target, so the module has to
 * be sure of its image first. */
static cubinet_status find_elsewhere(cubinet_module *module, uint32_t index, const char *name,
                                     cubinet_kernel **out_kernel, bool *out_moved)
{
    cubinet_module *rest = NULL;
    cubinet_status status = cbn_module_need_part(module, 0, out_moved);
    if (status || *out_moved) {
        return status;
    }
    status = cbn_rest_of_kernel(module, index, name, &rest);
    if (status || !rest) {
        return status ? status : not_in_image(module, name);
    }
    status = cbn_module_find_kernel(rest, name, out_kernel);
    return status ? cbn_error_context(status, "kernel '%s' was left out of %s: its rest, %s", name,
                                      cbn_archive_name(module->archive), cbn_archive_name(rest->archive))
                  : CUBINET_OK;
}

/* Finds a kernel of the image that the module has chosen, and loads its part. */
static cubinet_status seek(cubinet_module *module, const char *name, cubinet_kernel **out_kernel,
                           bool *out_moved)
{
    uint32_t index = 0;
    cubinet_status status = cubinet_archive_find_kernel(module->archive, module->index, name, &index);
    *out_moved = false;
    if (status) {
        return status;
    }
    cubinet_kernel *kernel = in_image(module, &module->kernels[index]);
    if (!kernel) {
        return find_elsewhere(module, index, name, out_kernel, out_moved);
    }
    *out_kernel = kernel;
    return cbn_module_need_part(module, kernel->record.part, out_moved);
}

static cubinet_status find_kernel(cubinet_module *module, const char *name, cubinet_kernel **out_kernel)
{
    cubinet_kernel *kernel = NULL;
    bool has_moved = true;
    cubinet_status status = CUBINET_OK;
    while (!status && has_moved) {
        status = seek(module, name, &kernel, &has_moved);
    }
    if (!status) {
        status = look_up(kernel);
    }
    if (!status) {
        *out_kernel = kernel;
    }
    return status;
}

cubinet_status cbn_module_find_kernel(struct cubinet_module *module, const char *expression_or_name,
                                      cubinet_kernel **out_kernel)
{
    if (!module || !expression_or_name || !out_kernel) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_module_find_kernel: %s is NULL",
                         !module               ? "module"
                         : !expression_or_name ? "expression_or_name"
                                               : "out_kernel");
    }
    bool is_locked = false;
    cubinet_status status = cbn_module_enter(module, &is_locked);
    return status ? status
                  : cbn_module_leave(module, is_locked, find_kernel(module, expression_or_name, out_kernel));
}

cubinet_status cubinet_module_find_kernel(cubinet_module *module, const char *expression_or_name,
                                          cubinet_kernel **out_kernel)
{
    struct cbn_kept_error kept = cbn_error_keep();
    cubinet_status status =
        cbn_error_settle(&kept, cbn_module_find_kernel(module, expression_or_name, out_kernel));
    if (!status) {
        cbn_record_kernel(*out_kernel, CBN_KERNEL_FOUND);
    }
    return status;
}
