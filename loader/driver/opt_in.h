/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel has to be opted in for before it is launched or asked about: more dynamic shared memory, or
 * larger clusters, than every device has. Opting in is never taken back: launches of several threads may ask
 * for different sizes at the same time. */
#ifndef CBN_OPT_IN_H
#define CBN_OPT_IN_H

#include "loader/driver/module.h"

/* Static shared memory of each block in bytes: as recorded, or for code that was compiled when it was loaded,
 * as the driver says. */
cubinet_status cbn_kernel_static_shared(const cubinet_kernel *kernel, uint32_t *out_bytes);

/* Sets an attribute of the kernel on its module's device; `what` is its name. */
cubinet_status cbn_kernel_set_attribute(const cubinet_kernel *kernel, unsigned int attribute, int value,
                                        const char *what);

/* Opts in for that much dynamic shared memory for each block; CUBINET_ERROR_LIMIT if the device lacks it. */
cubinet_status cbn_allow_dynamic_shared(const cubinet_kernel *kernel, uint32_t bytes);

/* Opts in for all the dynamic shared memory that the device has. */
cubinet_status cbn_allow_all_dynamic_shared(const cubinet_kernel *kernel);

/* Opts in if a cluster of so many blocks is larger than every device with clusters has. */
cubinet_status cbn_allow_cluster(const cubinet_kernel *kernel, uint64_t blocks);

#endif
