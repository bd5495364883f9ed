/* SPDX-License-Identifier: Apache-2.0 */
/* A checked launch in the driver's form. */
#ifndef CBN_LAUNCH_CONFIG_H
#define CBN_LAUNCH_CONFIG_H

#include "loader/driver/launch_check.h"

enum {
    CBN_MOST_DRIVER_ATTRIBUTES = 16, /* that callers give in the driver's form */
    CBN_MOST_ATTRIBUTES = 11 + CBN_MOST_DRIVER_ATTRIBUTES,
};

/* Points into itself: not to be copied. */
struct cbn_driver_launch {
    cbn_cu_launch_config config;
    cbn_cu_launch_attribute attributes[CBN_MOST_ATTRIBUTES]; /* at most one of each of ours */
};

void cbn_driver_launch_fill(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                            struct cbn_driver_launch *out);

/* The handle that the driver wrote for a node that kernels update; NULL if it was not such a launch. */
CUgraphDeviceNode cbn_driver_launch_device_node(const struct cbn_driver_launch *launch);

#endif
