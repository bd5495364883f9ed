/* SPDX-License-Identifier: Apache-2.0 */
/* What the library itself knows of a link. */
#ifndef CBN_DRIVER_LINK_H
#define CBN_DRIVER_LINK_H

#include "loader/driver/driver.h"

#include <cubinet/link.h>

/* The driver and the device that it was created for. */
const cubinet_driver *cbn_link_driver(const cubinet_link *link);
const struct cbn_device *cbn_link_device(const cubinet_link *link);

#endif
