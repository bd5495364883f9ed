/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of launches and of graph nodes: <cubinet/attributes.h> in the driver's form. */
#ifndef CBN_LAUNCH_ATTRIBUTES_H
#define CBN_LAUNCH_ATTRIBUTES_H

#include "loader/driver/launch_check.h"

/* Reads the attributes that a configuration points to, where it does, into `known`, and has it point there.
 * CUBINET_ERROR_INVALID_ARGUMENT, CUBINET_ERROR_DRIVER_TOO_OLD. */
cubinet_status cbn_attributes_read(const cubinet_kernel *kernel, cubinet_launch_config *config,
                                   cubinet_launch_attributes *known);

/* Whether the attributes, and that it is programmatic, suit a launch that was checked. */
cubinet_status cbn_attributes_check(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                    const struct cbn_launch *launch);

/* CUBINET_ERROR_INVALID_ARGUMENT if a launch has attributes that no graph node has. */
cubinet_status cbn_attributes_suit_node(const cubinet_kernel *kernel, const struct cbn_launch *launch);

/* Adds the attributes to the driver's list after `count` that are there; returns the new count. */
unsigned int cbn_attributes_put(const struct cbn_launch *launch, cbn_cu_launch_attribute *list,
                                unsigned int count);

#endif
