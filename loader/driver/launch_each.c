/* SPDX-License-Identifier: Apache-2.0 */
/* One launch of several kernels. */
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"
#include "loader/driver/launch_arguments.h"

static cubinet_status only_check(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                 const struct cbn_params *params, void *unused)
{
    (void)unused;
    CUfunction function = NULL;
    if (launch->more && (launch->more->programmatic_event || launch->more->completion_event ||
                         launch->more->out_device_node)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "kernel '%s': an event, or a device node, belongs to one launch: "
                         "cubinet_launch_each() can't share it among several",
                         cbn_kernel_expression(kernel));
    }
    return cbn_launch_ready(kernel, launch, params, &function);
}

/* The call, as far as it is the same for all. */
struct each {
    cubinet_launch_config config;
    const cubinet_arg *args;
    size_t arg_count;
    const cubinet_launch_target *targets;
    size_t count;
};

static cubinet_status launch_one(struct each *each, size_t number, bool checks)
{
    const cubinet_launch_target *target = &each->targets[number];
    const cubinet_arg *args = target->args ? target->args : each->args;
    size_t arg_count = target->args ? target->arg_count : each->arg_count;
    cubinet_status status = CUBINET_OK;
    if (target->reserved || (!target->args && target->arg_count)) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s",
                           target->reserved ? "a reserved member is not 0: zero-initialise the struct"
                                            : "arg_count is not 0, and args is NULL");
    }
    each->config.stream = target->stream;
    if (!status) {
        status = checks ? cbn_launch_prepare("cubinet_launch_each", target->kernel, &each->config, args,
                                             arg_count, only_check, NULL)
                        : cubinet_kernel_launch(target->kernel, &each->config, args, arg_count);
    }
    if (status) {
        const cubinet_kernel *kernel = target->kernel;
        int device = kernel ? kernel->module->device->handle : -1;
        return kernel ? cbn_error_context(status, "launch %zu (of %zu, from 0), on device %d", number,
                                          each->count, device)
                      : cbn_error_context(status, "launch %zu (of %zu, from 0)", number, each->count);
    }
    return status;
}

cubinet_status cubinet_launch_each(const cubinet_launch_config *config, const cubinet_arg *args,
                                   size_t arg_count, const cubinet_launch_target *targets, size_t count,
                                   size_t *out_launched)
{
    struct each each = {.args = args, .arg_count = arg_count, .targets = targets, .count = count};
    size_t launched = 0;
    cubinet_status status = CUBINET_OK;
    if (!config || (count > 0 && !targets)) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_launch_each: %s is NULL",
                           config ? "targets" : "config");
    } else {
        status = cbn_sized_read(config, "cubinet_launch_config", &each.config, sizeof(each.config));
    }
    if (!status && each.config.stream) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "cubinet_launch_each: the configuration has a stream; each target has its own");
    }
    for (size_t i = 0; !status && i < count; i++) {
        status = launch_one(&each, i, true);
    }
    while (!status && launched < count) {
        status = launch_one(&each, launched, false);
        launched += !status;
    }
    if (out_launched) {
        *out_launched = launched;
    }
    return status;
}
