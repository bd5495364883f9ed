/* SPDX-License-Identifier: Apache-2.0 */
/* Preloads, for whoever knows what to load. */
#ifndef CBN_PRELOAD_MAKE_H
#define CBN_PRELOAD_MAKE_H

#include "loader/driver/preload_run.h"

/* Reads and checks the options into `known`, which the plan points to. */
cubinet_status cbn_preload_read_options(const cubinet_driver *driver, CUdevice device,
                                        const cubinet_preload_options *options,
                                        cubinet_preload_options *known, struct cbn_preload_plan *out_plan);

/* Makes and does the tasks of items that were checked. With plan->kernels, each item is one module. */
cubinet_status cbn_preload_make(struct cbn_preload_plan *plan, const cubinet_preload_item *items,
                                size_t count, cubinet_preload **out_preload);

#endif
