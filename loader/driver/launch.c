/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels. */
#include "error.h"
#include "errors.h"
#include "launch_check.h"
#include "launch_config.h"
#include "opt_in.h"
#include "sized.h"

#include <stdlib.h>

/* Launches with more arguments than this take memory. */
enum { ARGS_ON_STACK = 64 };

/* The module's context must be current; the launch was checked. */
static cubinet_status submit(const cubinet_kernel *kernel, const struct cbn_launch *launch, void **params)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    CUfunction function = NULL;
    cubinet_status status = cbn_kernel_function(kernel, &function);
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
    cbn_cu_result result = cu->cuLaunchKernelEx(&driver_launch.config, function, params, NULL);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "launching kernel '%s'", cbn_kernel_expression(kernel));
    }
    return CUBINET_OK;
}

static cubinet_status launch_in_context(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                        void **params)
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
    cubinet_status status = cbn_sized_read(config, "cubinet_launch_config", &known, sizeof(known));
    struct cbn_launch launch;
    if (!status) {
        status = cbn_launch_check_args(kernel, args, arg_count);
    }
    if (!status) {
        status = cbn_launch_check_config(kernel, &known, &launch);
    }
    if (status) {
        return status;
    }
    void *on_stack[ARGS_ON_STACK];
    void **params = arg_count > ARGS_ON_STACK ? malloc(arg_count * sizeof(*params)) : on_stack;
    if (!params) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < arg_count; i++) {
        params[i] = (void *)(uintptr_t)args[i].value; /* the driver only reads it */
    }
    status = launch_in_context(kernel, &launch, params);
    if (params != on_stack) {
        free(params);
    }
    return status;
}
