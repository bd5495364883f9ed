/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks of a preload: a module or a link each, and what became of it. */
#ifndef CBN_PRELOAD_TASK_H
#define CBN_PRELOAD_TASK_H

#include "loader/driver/driver.h"

#include <cubinet/preload.h>

struct cbn_preload_task {
    /* What is to be done. */
    char *name;
    const cubinet_archive *archive;
    cubinet_link *link;
    const struct cbn_text_list *kernels; /* those to make ready; NULL: the whole module */
    double cost;                         /* an estimate, to know what to begin with */
    uint32_t threads;                    /* that loading its parts is worth, by estimate; at least 1 */

    /* What became of it; a task that was never begun is CUBINET_ERROR_CANCELLED. */
    cubinet_status status;
    char *message; /* NULL if there is none */
    int driver_result;
    double milliseconds;
    cubinet_module *module;
};

struct cubinet_preload {
    size_t count;
    struct cbn_preload_task *tasks; /* in the order of the items */
};

/* Makes the tasks of the items. */
cubinet_status cbn_preload_tasks_add(struct cubinet_preload *preload, const cubinet_preload_item *items,
                                     size_t count);

/* What a task came to, for a program; without its module. */
cubinet_preload_result cbn_preload_result(const struct cbn_preload_task *task);

/* Estimates the cost of a task, and the threads for it: about how many microseconds it takes to have the
 * module or the link ready on a device, right in its order of magnitude. 0 where nothing is known, because
 * the module cannot be loaded. */
void cbn_preload_estimate(const cubinet_driver *driver, const struct cbn_device *device,
                          struct cbn_preload_task *task, const cubinet_load_options *options);

#endif
