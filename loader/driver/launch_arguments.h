/* SPDX-License-Identifier: Apache-2.0 */
/* What launches into streams and graph nodes have in common: a configuration and arguments are checked, and
 * completed with what the caller left out. */
#ifndef CBN_LAUNCH_ARGUMENTS_H
#define CBN_LAUNCH_ARGUMENTS_H

#include "loader/driver/launch_hidden.h"

/* What the driver is given of arguments. */
struct cbn_params {
    const cubinet_arg *args;
    size_t count;
    void **values;
    struct cbn_hidden *hidden; /* values of those that the caller left out */
    uint32_t hidden_count;
};

/* Does something with a launch that was checked, in the module's context. */
typedef cubinet_status cbn_submit_fn(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                     const struct cbn_params *params, void *user);

/* Checks a caller's launch and hands it to `submit`. `function`: its name, for messages. */
cubinet_status cbn_launch_prepare(const char *function, const cubinet_kernel *kernel,
                                  const cubinet_launch_config *config, const cubinet_arg *args,
                                  size_t arg_count, cbn_submit_fn *submit, void *user);

/* What the driver must know of the kernel before: opts it in to what the launch needs, and compares its
 * parameters. In the module's context. */
cubinet_status cbn_launch_ready(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                const struct cbn_params *params, CUfunction *out_function);

#endif
