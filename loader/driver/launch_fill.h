/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch's configuration leaves out, from the kernel's launch record. */
#ifndef CBN_LAUNCH_FILL_H
#define CBN_LAUNCH_FILL_H

#include "loader/driver/module.h"

#include <cubinet/launch.h>

/* Fills in block, cluster and dynamic shared memory where they are 0, cooperation, and for a kernel that
 * takes launch bounds the grid that the extent asks for. Nothing with CUBINET_LAUNCH_NO_RECORD. */
cubinet_status cbn_launch_fill(const cubinet_kernel *kernel, cubinet_launch_config *config);

/* What the grid is multiplied by along an axis. */
uint32_t cbn_launch_grid_factor(const cubinet_kernel *kernel, const cubinet_launch_config *config, int axis);

/* Dynamic shared bytes of a launch whose caller gave that many. */
uint32_t cbn_launch_shared_bytes(const cubinet_kernel *kernel, uint32_t given, uint32_t flags);

/* The only block that makes sense: the one that the kernel was compiled for, or else the recorded one. NULL:
 * any does. */
const uint32_t *cbn_launch_own_block(const cubinet_kernel *kernel);

#endif
