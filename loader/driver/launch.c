/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels. */
#include "loader/core/support/error.h"
#include "loader/driver/check_params.h"
#include "loader/driver/errors.h"
#include "loader/driver/launch_check.h"
#include "loader/driver/launch_config.h"
#include "loader/driver/opt_in.h"

#include <stdlib.h>

/* Launches with more arguments than this take memory. */
enum { ARGS_ON_STACK = 64 };

/* What the driver is given of arguments. */
struct params {
    const cubinet_arg *args;
    size_t count;
    void **values;
};

/* The module's context must be current; the launch was checked. */
static cubinet_status submit(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                             const struct params *params)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    CUfunction function = NULL;
    cubinet_status status = cbn_kernel_function(kernel, &function);
    if (!status) {
        status = cbn_check_params(kernel, params->args, params->count);
    }
    if (!status) {
        status = cbn_allow_dynamic_shared(kernel, launch->dynamic_shared_bytes);
    }
    if (!status) {
        status = cbn_allow_cluster(kernel, cbn_launch_cluster_blocks(launch));
    }
    if (status) {
        return status;
    }
    struct cbn_driver_launch driver_launch;
    cbn_driver_launch_fill(kernel, launch, &driver_launch);
    cbn_cu_result result = cu->cuLaunchKernelEx(&driver_launch.config, function, params->values, NULL);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "launching kernel '%s'", cbn_kernel_expression(kernel));
    }
    return CUBINET_OK;
}

static cubinet_status launch_in_context(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                        const struct params *params)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    bool pushed = false;
    cubinet_status status = cbn_context_enter(cu, kernel->module->context.handle, &pushed);
    if (status) {
        return status;
    }
    return cbn_context_leave(cu, pushed, submit(kernel, launch, params));
}

cubinet_status cubinet_kernel_launch(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                     const cubinet_arg *args, size_t arg_count)
{
    if (!kernel || !config) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_kernel_launch: %s is NULL",
                         !kernel ? "kernel" : "config");
    }
    cubinet_launch_config known;
    cubinet_status status = cbn_launch_read_config(config, &known);
    struct cbn_launch launch;
    if (!status) {
        status = cbn_launch_check_args(kernel, args, arg_count);
    }
    if (!status) {
        status = cbn_launch_check_config(kernel, &known, &launch);
    }
    if (!status) {
        status = cbn_launch_check_shared(kernel, &known);
    }
    if (status) {
        return status;
    }
    void *on_stack[ARGS_ON_STACK];
    void **values = arg_count > ARGS_ON_STACK ? malloc(arg_count * sizeof(*values)) : on_stack;
    if (!values) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < arg_count; i++) {
        values[i] = (void *)(uintptr_t)args[i].value; /* the driver only reads it */
    }
    status = launch_in_context(kernel, &launch, &(struct params){args, arg_count, values});
    if (values != on_stack) {
        free(values);
    }
    return status;
}
