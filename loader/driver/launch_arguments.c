/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/launch_arguments.h"

#include "loader/core/support/error.h"
#include "loader/driver/check_params.h"
#include "loader/driver/launch_attributes.h"
#include "loader/driver/opt_in.h"
#include "loader/driver/record.h"

#include <stdlib.h>
#include <string.h>

/* Launches with more arguments, or hidden ones, take memory. */
enum { ARGS_ON_STACK = 64, HIDDEN_ON_STACK = 4 };

/* A launch on its way, and what is done with it. */
struct task {
    const cubinet_kernel *kernel;
    const cubinet_launch_config *config; /* completed */
    const cubinet_arg *args;             /* the caller's */
    size_t arg_count;
    cbn_submit_fn *submit;
    void *user;
};

cubinet_status cbn_launch_ready(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                const struct cbn_params *params, CUfunction *out_function)
{
    cbn_record_kernel(kernel, CBN_KERNEL_LAUNCHED);
    cubinet_status status = cbn_kernel_function(kernel, out_function);
    if (!status) {
        status = cbn_check_params(kernel, params->args, params->count);
    }
    if (!status) {
        status = cbn_allow_dynamic_shared(kernel, launch->dynamic_shared_bytes);
    }
    if (!status) {
        status = cbn_allow_cluster(kernel, cbn_launch_cluster_blocks(launch));
    }
    return status;
}

/* The caller's context is current again afterwards. That the driver returns a failure for that, perhaps an
 * earlier launch's, does not undo what was submitted: it counts. */
static cubinet_status submit_in_context(const struct task *task, const struct cbn_launch *launch,
                                        const struct cbn_params *params)
{
    const struct cubinet_module *module = task->kernel->module;
    const struct cbn_driver_table *cu = &module->driver->cu;
    bool pushed = false;
    cubinet_status status = cbn_context_enter(cu, module->context.handle, &pushed);
    if (status) {
        return status;
    }
    status = task->submit(task->kernel, launch, params, task->user);
    if (pushed) {
        CUcontext popped = NULL;
        cu->cuCtxPopCurrent(&popped);
    }
    return status;
}

/* Checks the launch and hands it on. */
static cubinet_status check(const struct task *task, struct cbn_params *params)
{
    struct cbn_launch launch;
    cubinet_status status = cbn_launch_check_args(task->kernel, params->args, params->count);
    if (!status) {
        status = cbn_launch_check_config(task->kernel, task->config, &launch);
    }
    if (!status) {
        status = cbn_launch_check_shared(task->kernel, task->config);
    }
    if (status) {
        return status;
    }
    for (size_t i = 0; i < params->count; i++) {
        params->values[i] = (void *)(uintptr_t)params->args[i].value; /* the driver only reads it */
    }
    return submit_in_context(task, &launch, params);
}

/* With what the caller left out, in memory that is given. */
static cubinet_status complete(const struct task *task, cubinet_arg *all, struct cbn_params *params)
{
    cubinet_status status = CUBINET_OK;
    params->args = task->args;
    params->count = task->arg_count;
    if (params->hidden_count) {
        memset(params->hidden, 0, params->hidden_count * sizeof(*params->hidden));
        status =
            cbn_hidden_place(task->kernel, task->config, task->args, task->arg_count, params->hidden, all);
        params->args = all;
        params->count += params->hidden_count;
    }
    return status ? status : check(task, params);
}

/* Before memory is asked for: a wrong number may be any. */
static cubinet_status check_count(const struct task *task, uint32_t hidden_count)
{
    enum { MOST_ARGS = 32764 }; /* bytes that the driver passes, of which each parameter has one */
    cubinet_status status = hidden_count ? cbn_hidden_check_count(task->kernel, task->args, task->arg_count)
                                         : cbn_launch_check_count(task->kernel, task->args, task->arg_count);
    if (!status && task->arg_count > MOST_ARGS) {
        status = cbn_error(CUBINET_ERROR_LAUNCH_ARGUMENTS,
                           "kernel '%s': %zu arguments were given; a kernel takes at most %d",
                           cbn_kernel_expression(task->kernel), task->arg_count, MOST_ARGS);
    }
    return status;
}

static cubinet_status complete_many(const struct task *task, uint32_t hidden_count)
{
    cubinet_status counted = check_count(task, hidden_count);
    if (counted) {
        return counted;
    }
    size_t count = task->arg_count + hidden_count;
    struct cbn_params params = {
        .values = calloc(count, sizeof(*params.values)),
        .hidden = calloc(hidden_count + 1U, sizeof(*params.hidden)),
        .hidden_count = hidden_count,
    };
    cubinet_arg *all = calloc(count, sizeof(*all));
    cubinet_status status =
        params.values && params.hidden && all ? complete(task, all, &params) : cbn_error_memory();
    free(params.values);
    free(params.hidden);
    free(all);
    return status;
}

static cubinet_status complete_few(const struct task *task, uint32_t hidden_count)
{
    void *values[ARGS_ON_STACK];
    cubinet_arg all[ARGS_ON_STACK];
    struct cbn_hidden hidden[HIDDEN_ON_STACK];
    struct cbn_params params = {.values = values, .hidden = hidden, .hidden_count = hidden_count};
    return complete(task, all, &params);
}

cubinet_status cbn_launch_prepare(const char *function, const cubinet_kernel *kernel,
                                  const cubinet_launch_config *config, const cubinet_arg *args,
                                  size_t arg_count, cbn_submit_fn *submit, void *user)
{
    if (!kernel || !config) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function,
                         !kernel ? "kernel" : "config");
    }
    cubinet_launch_config known;
    cubinet_launch_attributes more;
    cubinet_status status = cbn_launch_read_config(kernel, config, &known);
    if (!status && known.attributes) {
        status = cbn_attributes_read(kernel, &known, &more);
    }
    if (status) {
        return status;
    }
    const struct task task = {kernel, &known, args, arg_count, submit, user};
    uint32_t hidden_count = cbn_hidden_count(kernel, &known, arg_count);
    return arg_count > ARGS_ON_STACK - HIDDEN_ON_STACK || hidden_count > HIDDEN_ON_STACK
               ? complete_many(&task, hidden_count)
               : complete_few(&task, hidden_count);
}
