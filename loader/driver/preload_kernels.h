/* SPDX-License-Identifier: Apache-2.0 */
/* Having some kernels of a module ready. */
#ifndef CBN_PRELOAD_KERNELS_H
#define CBN_PRELOAD_KERNELS_H

#include "loader/driver/preload_run.h"

/* Loads the task's module, and makes the functions of its kernels in their order. Kernels that are not there
 * are passed over. None of it counts as a use. */
cubinet_status cbn_preload_load_kernels(const struct cbn_preload_plan *plan,
                                        const struct cbn_preload_task *task, cubinet_module **out_module);

#endif
