/* SPDX-License-Identifier: Apache-2.0 */
/* What suggestions ask the driver, in the module's context, which must be current. */
#ifndef CBN_OCCUPANCY_DRIVER_H
#define CBN_OCCUPANCY_DRIVER_H

#include "loader/driver/launch_check.h"

/* Active blocks on each multiprocessor; 0 is not a failure. */
cubinet_status cbn_active_blocks(const cubinet_kernel *kernel, uint32_t block_threads,
                                 uint32_t dynamic_shared_bytes, uint32_t *out_blocks);

/* Active clusters on the device, of a launch that was checked. */
cubinet_status cbn_active_clusters(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                   uint32_t *out_clusters);

/* The occupancy with a number of active blocks that the driver told. */
cubinet_status cbn_occupancy_of(const cubinet_kernel *kernel, uint32_t block_threads,
                                uint32_t dynamic_shared_bytes, uint32_t active_blocks,
                                cubinet_occupancy *out_occupancy);

#endif
