/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/check_params.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/driver/errors.h"
#include "loader/link/read_cubin.h"

#include <stdlib.h>
#include <string.h>

static bool is_known(const cubinet_kernel *kernel)
{
    return kernel->record.resources.param_count != CUBINET_UNKNOWN;
}

/* What is wrong with a kernel's record. */
static cubinet_status other_params(const cubinet_kernel *kernel)
{
    const cubinet_archive *archive = kernel->module->archive;
    return cbn_error(
        CUBINET_ERROR_DAMAGED,
        "%s is damaged: the parameters that it records of kernel '%s' are not those of its code, "
        "and a launch could read beyond the arguments. Get the archive again, or tell whoever made "
        "it; `cubinet verify` shows the differences",
        cbn_archive_name(archive), cbn_kernel_expression(kernel));
}

/* Of arguments that nothing is recorded of: number `param`, or that there are not enough. */
static cubinet_status other_arg(const cubinet_kernel *kernel, const cubinet_arg *args, size_t arg_count,
                                size_t param, size_t bytes)
{
    if (param >= arg_count) {
        return cbn_error(CUBINET_ERROR_LAUNCH_ARGUMENTS,
                         "kernel '%s' takes more than the %zu arguments that were given",
                         cbn_kernel_expression(kernel), arg_count);
    }
    return cbn_error(CUBINET_ERROR_LAUNCH_ARGUMENTS,
                     "kernel '%s': argument %zu (of %zu, from 0) has %zu bytes; the parameter has %zu",
                     cbn_kernel_expression(kernel), param, arg_count, args[param].size, bytes);
}

static bool is_as_recorded(const cubinet_kernel *kernel, size_t param, size_t offset, size_t bytes)
{
    const cubinet_kernel_resources *resources = &kernel->record.resources;
    return param < resources->param_count && resources->params[param].offset == offset &&
           resources->params[param].size == bytes;
}

bool cbn_compares_params(const struct cubinet_module *module)
{
    return module->driver->cu.cuKernelGetParamInfo && !module->is_tileir &&
           !cbn_archive_is_trusted(module->archive);
}

cubinet_status cbn_check_params(const cubinet_kernel *kernel, const cubinet_arg *args, size_t arg_count)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    size_t offset = 0;
    size_t bytes = 0;
    size_t param = 0;
    cbn_cu_result result = CBN_CU_SUCCESS;
    if (atomic_load_explicit(&kernel->state->params_checked, memory_order_acquire) ||
        !cbn_compares_params(kernel->module)) {
        return CUBINET_OK;
    }
    const struct cbn_part *part = &kernel->module->code->parts[kernel->record.part];
    const uint32_t most = cbn_params_at_most(&part->params, cbn_kernel_name(kernel));
    while (param < most && (result = cu->cuKernelGetParamInfo(cbn_kernel_handle(kernel), param, &offset,
                                                              &bytes)) == CBN_CU_SUCCESS) {
        if (is_known(kernel) && !is_as_recorded(kernel, param, offset, bytes)) {
            return other_params(kernel);
        }
        if (param >= arg_count || args[param].size < bytes) {
            return other_arg(kernel, args, arg_count, param, bytes);
        }
        param++;
    }
    /* The driver's error for a parameter that the kernel doesn't have: `most` is too large. */
    if (result != CBN_CU_SUCCESS && result != CBN_CU_INVALID_VALUE) {
        return cbn_driver_failed(cu, result, "cuKernelGetParamInfo of '%s'", cbn_kernel_expression(kernel));
    }
    if (is_known(kernel) && param < kernel->record.resources.param_count) {
        return other_params(kernel);
    }
    atomic_store_explicit(&kernel->state->params_checked, is_known(kernel), memory_order_release);
    return CUBINET_OK;
}

static bool has_params(const cubinet_kernel *kernel, const cubinet_kernel_resources *code)
{
    uint32_t param = 0;
    if (kernel->record.resources.param_count != code->param_count) {
        return false;
    }
    while (param < code->param_count &&
           is_as_recorded(kernel, param, code->params[param].offset, code->params[param].size)) {
        param++;
    }
    return param == code->param_count;
}

static int compare_names(const void *name, const void *kernel)
{
    return strcmp(name, ((const struct cbn_cubin_kernel *)kernel)->name);
}

cubinet_status cbn_check_params_of_cubin(const struct cubinet_module *module, const void *code, size_t size)
{
    struct cbn_cubin cubin;
    if (module->driver->cu.cuKernelGetParamInfo || cbn_archive_is_trusted(module->archive)) {
        return CUBINET_OK;
    }
    cubinet_status status = cbn_cubin_read(code, size, &cubin);
    if (status) {
        return cbn_error_context(status, "%s", cbn_archive_name(module->archive));
    }
    for (uint32_t i = 0; i < module->kernel_count && !status; i++) {
        const struct cubinet_kernel *kernel = &module->kernels[i];
        const struct cbn_cubin_kernel *found =
            kernel->is_recorded ? bsearch(cbn_kernel_name(kernel), cubin.kernels, cubin.kernel_count,
                                          sizeof(*cubin.kernels), compare_names)
                                : NULL;
        if (found && !has_params(kernel, &found->resources)) {
            status = other_params(kernel);
        }
    }
    cbn_cubin_free(&cubin);
    return status;
}
