/* SPDX-License-Identifier: Apache-2.0 */
/* Finding kernels, and what is known of them. */
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "loader/core/support/sized.h"
#include "loader/driver/errors.h"
#include "loader/driver/record.h"

static cubinet_status missing_argument(const char *function, const char *argument)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function, argument);
}

static cubinet_kernel_info kernel_info(const cubinet_kernel *kernel)
{
    /* The module was checked when it was loaded, so this can't fail. */
    cubinet_kernel_info info = {.size = sizeof(info)};
    cubinet_archive_get_kernel(kernel->module->archive, kernel->module->index, kernel->index, &info);
    return info;
}

const char *cbn_kernel_name(const cubinet_kernel *kernel)
{
    return kernel_info(kernel).name;
}

const char *cbn_kernel_expression(const cubinet_kernel *kernel)
{
    return kernel_info(kernel).expression;
}

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

cbn_cu_result cbn_kernel_look_up(const cubinet_kernel *kernel)
{
    /* Two threads may both ask the driver: it gives both the same. */
    const struct cubinet_module *module = kernel->module;
    CUkernel handle = cbn_kernel_handle(kernel);
    if (handle) {
        return CBN_CU_SUCCESS;
    }
    cbn_cu_result result =
        module->driver->cu.cuLibraryGetKernel(&handle, module->code->library, cbn_kernel_name(kernel));
    if (result == CBN_CU_SUCCESS) {
        atomic_store_explicit(&kernel->state->handle, handle, memory_order_release);
    }
    return result;
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

cubinet_status cubinet_module_find_kernel(cubinet_module *module, const char *expression_or_name,
                                          cubinet_kernel **out_kernel)
{
    if (!module || !expression_or_name || !out_kernel) {
        return missing_argument("cubinet_module_find_kernel", !module               ? "module"
                                                              : !expression_or_name ? "expression_or_name"
                                                                                    : "out_kernel");
    }
    uint32_t index = 0;
    cubinet_status status =
        cubinet_archive_find_kernel(module->archive, module->index, expression_or_name, &index);
    if (status) {
        return status;
    }
    cubinet_kernel *kernel = in_image(module, &module->kernels[index]);
    if (!kernel) {
        char target[CUBINET_TARGET_NAME_SIZE];
        cubinet_image_info image = {.size = sizeof(image)};
        cubinet_archive_get_image(module->archive, module->index, module->image, &image);
        return cbn_error(CUBINET_ERROR_NOT_FOUND,
                         "kernel '%s' is not in the %s image, which was loaded: it was compiled for other "
                         "architectures only",
                         expression_or_name, cubinet_target_name(image.target, target));
    }
    status = look_up(kernel);
    if (!status) {
        cbn_record_kernel(kernel, CBN_KERNEL_FOUND);
        *out_kernel = kernel;
    }
    return status;
}

CUkernel cubinet_kernel_get_handle(const cubinet_kernel *kernel)
{
    if (!kernel) {
        return NULL;
    }
    cbn_record_kernel(kernel, CBN_KERNEL_LAUNCHED);
    return cbn_kernel_handle(kernel);
}

cubinet_status cbn_kernel_function(const cubinet_kernel *kernel, CUfunction *out_function)
{
    /* Two threads may both ask the driver: it gives both the same. */
    CUfunction function = atomic_load_explicit(&kernel->state->function, memory_order_acquire);
    if (!function) {
        const struct cbn_driver_table *cu = &kernel->module->driver->cu;
        cbn_cu_result result = cu->cuKernelGetFunction(&function, cbn_kernel_handle(kernel));
        if (result != CBN_CU_SUCCESS) {
            return cbn_driver_failed(cu, result, "cuKernelGetFunction of '%s'",
                                     cbn_kernel_expression(kernel));
        }
        atomic_store_explicit(&kernel->state->function, function, memory_order_release);
    }
    *out_function = function;
    return CUBINET_OK;
}

cubinet_status cubinet_kernel_get_function(const cubinet_kernel *kernel, CUfunction *out_function)
{
    if (!kernel || !out_function) {
        return missing_argument("cubinet_kernel_get_function", !kernel ? "kernel" : "out_function");
    }
    cbn_record_kernel(kernel, CBN_KERNEL_LAUNCHED);
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    CUfunction function = atomic_load_explicit(&kernel->state->function, memory_order_acquire);
    if (function) {
        *out_function = function;
        return CUBINET_OK;
    }
    bool pushed = false;
    cubinet_status status = cbn_context_enter(cu, kernel->module->context.handle, &pushed);
    if (status) {
        return status;
    }
    status = cbn_context_leave(cu, pushed, cbn_kernel_function(kernel, &function));
    if (!status) {
        *out_function = function;
    }
    return status;
}

cubinet_status cubinet_kernel_get_info(const cubinet_kernel *kernel, cubinet_kernel_info *out_info)
{
    if (!kernel) {
        return missing_argument("cubinet_kernel_get_info", "kernel");
    }
    cubinet_kernel_info info = kernel_info(kernel);
    return cbn_sized_write(out_info, "cubinet_kernel_info", &info, sizeof(info));
}

cubinet_status cubinet_kernel_get_resources(const cubinet_kernel *kernel,
                                            cubinet_kernel_resources *out_resources)
{
    if (!kernel) {
        return missing_argument("cubinet_kernel_get_resources", "kernel");
    }
    return cbn_sized_write(out_resources, "cubinet_kernel_resources", &kernel->resources,
                           sizeof(kernel->resources));
}

cubinet_status cubinet_kernel_get_launch_record(const cubinet_kernel *kernel,
                                                cubinet_launch_record *out_record)
{
    if (!kernel) {
        return missing_argument("cubinet_kernel_get_launch_record", "kernel");
    }
    cubinet_launch_record record = kernel->launch;
    record.flags |= kernel->uses_dynamic_shared ? CUBINET_RECORD_TAKES_DYNAMIC_SHARED : 0U;
    return cbn_sized_write(out_record, "cubinet_launch_record", &record, sizeof(record));
}
