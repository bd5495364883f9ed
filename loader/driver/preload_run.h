/* SPDX-License-Identifier: Apache-2.0 */
/* Doing the tasks of a preload, several at a time. */
#ifndef CBN_PRELOAD_RUN_H
#define CBN_PRELOAD_RUN_H

#include "loader/driver/context.h"
#include "loader/driver/preload_task.h"

/* What all tasks have in common. */
struct cbn_preload_plan {
    const cubinet_driver *driver;
    const struct cbn_device *device;
    struct cbn_context context;             /* the calling thread's, or the device's primary one */
    const cubinet_preload_options *options; /* all members */
    const struct cbn_text_list *kernels;    /* of each item, those to make ready; NULL: whole modules */
};

/* Does the tasks of `order`, `count` of them, the first first, and ends when no thread is left. Which came to
 * what stands in the tasks. `*out_cancelled` is how many were done when the progress function cancelled, or
 * 0. Fails only if there is no memory to start. */
cubinet_status cbn_preload_run(const struct cbn_preload_plan *plan, struct cbn_preload_task **order,
                               size_t count, size_t *out_cancelled);

#endif
