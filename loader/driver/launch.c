/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels. */
#include "loader/core/support/error.h"
#include "loader/driver/check_params.h"
#include "loader/driver/errors.h"
#include "loader/driver/launch_check.h"
#include "loader/driver/launch_config.h"
#include "loader/driver/launch_hidden.h"
#include "loader/driver/opt_in.h"
#include "loader/driver/record.h"

#include <stdlib.h>
#include <string.h>

/* Launches with more arguments, or hidden ones, take memory. */
enum { ARGS_ON_STACK = 64, HIDDEN_ON_STACK = 4 };

/* What the driver is given of arguments. */
struct params {
    const cubinet_arg *args;
    size_t count;
    void **values;
    struct cbn_hidden *hidden; /* values of those that the caller left out */
    uint32_t hidden_count;
};

/* The module's context must be current; the launch was checked. */
static cubinet_status submit(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                             const struct params *params)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    CUfunction function = NULL;
    cbn_record_kernel(kernel, CBN_KERNEL_LAUNCHED);
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

/* With the memory that hidden parameters are given, as long as the launch runs. */
static cubinet_status submit_with_memory(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                         const struct params *params)
{
    cubinet_status status = cbn_hidden_allocate(kernel, launch, params->hidden, params->hidden_count);
    if (!status) {
        status = submit(kernel, launch, params);
    }
    if (!status) {
        return cbn_hidden_free(kernel, launch, params->hidden, params->hidden_count);
    }
    struct cbn_kept_error kept = cbn_error_keep(); /* the first failure counts */
    cbn_hidden_free(kernel, launch, params->hidden, params->hidden_count);
    cbn_error_put_back(&kept);
    return status;
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
    return cbn_context_leave(cu, pushed, submit_with_memory(kernel, launch, params));
}

/* Checks the launch and makes it. */
static cubinet_status launch(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                             struct params *params)
{
    struct cbn_launch launch;
    cubinet_status status = cbn_launch_check_args(kernel, params->args, params->count);
    if (!status) {
        status = cbn_launch_check_config(kernel, config, &launch);
    }
    if (!status) {
        status = cbn_launch_check_shared(kernel, config);
    }
    if (status) {
        return status;
    }
    for (size_t i = 0; i < params->count; i++) {
        params->values[i] = (void *)(uintptr_t)params->args[i].value; /* the driver only reads it */
    }
    return launch_in_context(kernel, &launch, params);
}

/* With what the caller left out, in memory that is given. */
static cubinet_status launch_complete(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                      const cubinet_arg *args, size_t arg_count, cubinet_arg *all,
                                      struct params *params)
{
    cubinet_status status = CUBINET_OK;
    params->args = args;
    params->count = arg_count;
    if (params->hidden_count) {
        memset(params->hidden, 0, params->hidden_count * sizeof(*params->hidden));
        status = cbn_hidden_place(kernel, config, args, arg_count, params->hidden, all);
        params->args = all;
        params->count += params->hidden_count;
    }
    return status ? status : launch(kernel, config, params);
}

static cubinet_status launch_of_many(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                     const cubinet_arg *args, size_t arg_count, uint32_t hidden_count)
{
    size_t count = arg_count + hidden_count;
    struct params params = {
        .values = calloc(count, sizeof(*params.values)),
        .hidden = calloc(hidden_count + 1U, sizeof(*params.hidden)),
        .hidden_count = hidden_count,
    };
    cubinet_arg *all = calloc(count, sizeof(*all));
    cubinet_status status = params.values && params.hidden && all
                                ? launch_complete(kernel, config, args, arg_count, all, &params)
                                : cbn_error_memory();
    free(params.values);
    free(params.hidden);
    free(all);
    return status;
}

cubinet_status cubinet_kernel_launch(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                     const cubinet_arg *args, size_t arg_count)
{
    if (!kernel || !config) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_kernel_launch: %s is NULL",
                         !kernel ? "kernel" : "config");
    }
    cubinet_launch_config known;
    cubinet_status status = cbn_launch_read_config(kernel, config, &known);
    if (status) {
        return status;
    }
    uint32_t hidden_count = cbn_hidden_count(kernel, &known, arg_count);
    if (arg_count > ARGS_ON_STACK - HIDDEN_ON_STACK || hidden_count > HIDDEN_ON_STACK) {
        return launch_of_many(kernel, &known, args, arg_count, hidden_count);
    }
    void *values[ARGS_ON_STACK];
    cubinet_arg all[ARGS_ON_STACK];
    struct cbn_hidden hidden[HIDDEN_ON_STACK];
    struct params params = {.values = values, .hidden = hidden, .hidden_count = hidden_count};
    return launch_complete(kernel, &known, args, arg_count, all, &params);
}
