/* SPDX-License-Identifier: Apache-2.0 */
/* A checked launch in the driver's form. */
#ifndef CBN_LAUNCH_CONFIG_H
#define CBN_LAUNCH_CONFIG_H

#include "loader/driver/launch_check.h"

/* Points into itself: not to be copied. */
struct cbn_driver_launch {
    cbn_cu_launch_config config;
    cbn_cu_launch_attribute attributes[2]; /* at most one of each */
};

void cbn_driver_launch_fill(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                            struct cbn_driver_launch *out);

#endif
