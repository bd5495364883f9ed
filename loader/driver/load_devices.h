/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a module for a device. */
#ifndef CBN_LOAD_DEVICES_H
#define CBN_LOAD_DEVICES_H

#include "loader/driver/load.h"

/* Makes a module and loads it for one device, in the context that is current or the device's primary one. The
 * caller frees it.
 *
 * other: a module of the same request on a device of the same compute capability, to share code with; or NULL
 */
cubinet_status cbn_module_load_on(const cubinet_driver *driver, const struct cbn_device *device,
                                  const struct cubinet_module *other, const struct cbn_load_request *request,
                                  struct cubinet_module **out_module);

#endif
