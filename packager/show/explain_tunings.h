/* SPDX-License-Identifier: Apache-2.0 */
/* Which tuning records of a module count on a device. */
#ifndef EXPLAIN_TUNINGS_H
#define EXPLAIN_TUNINGS_H

#include "show/explain.h"

#include <jansson.h>

/* Lists the records that were measured on GPUs of the device's compute capability, and prints what becomes of
 * them with the image that was chosen; nothing if there are none. */
cubinet_status explain_tunings_print(const struct explain *explain, const struct listing_module *module,
                                     const struct ranking *ranking, const cubinet_device_profile *device);

/* The same as an array, which is empty if there are none. */
cubinet_status explain_tunings_json(const struct explain *explain, const struct listing_module *module,
                                    const struct ranking *ranking, const cubinet_device_profile *device,
                                    json_t **out_array);

#endif
