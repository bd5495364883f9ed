/* SPDX-License-Identifier: Apache-2.0 */
/* Linking LTO-IR because a module is loaded that has nothing better. */
#ifndef CBN_LOAD_LINK_H
#define CBN_LOAD_LINK_H

#include "loader/driver/load.h"

/* What is linked for a device, without a suffix. */
cubinet_target cbn_device_target(const struct cbn_device *device);

/* The release of the nvJitLink that would link the module's LTO-IR on its device: of one that can link some
 * image, or else of the first that is there; 0 if there is none. Leaves the thread's message alone. */
uint32_t cbn_load_linker_release(const struct cbn_load_request *request, const struct cubinet_module *module,
                                 const cubinet_image_info *images, uint32_t image_count);

/* Links an image of LTO-IR, with what it needs of other modules of the archive, into an archive of its own,
 * which the caller releases. */
cubinet_status cbn_load_link(const struct cbn_load_request *request, const struct cubinet_module *module,
                             uint32_t image, cubinet_archive **out_archive);

/* Says in the log what a link did. */
void cbn_load_log_link(const cubinet_driver *driver, const char *module, const struct cbn_link_plan *plan,
                       const struct cbn_link_story *story);

#endif
