/* SPDX-License-Identifier: Apache-2.0 */
/* Deciding for one image of a module, and loading as much of it as has to be loaded at once. */
#ifndef CBN_LOAD_IMAGE_H
#define CBN_LOAD_IMAGE_H

#include "loader/driver/load_part.h"

/* How much of an image is loaded at once. */
enum cbn_haste {
    CBN_HASTE_NONE, /* nothing of one in parts that the driver is sure to run: its parts when they are used */
    CBN_HASTE_PROOF, /* as much as proves that it runs; of parts the first */
    CBN_HASTE_READY, /* the same, and the driver is to place it on the device now */
};

/* Tries an image of the module's archive for a module without code. The module's context must be current.
 *
 * LOADED fills the module's code, kernels and image. REFUSED fills `out_refusal` and leaves the thread's
 * message as it was. FAILED sets the thread's message and `out_status`. After both, the module has no code.
 */
enum cbn_attempt cbn_image_try(struct cubinet_module *module, uint32_t image, const cubinet_image_info *info,
                               enum cbn_haste haste, struct cbn_refusal *out_refusal,
                               cubinet_status *out_status);

/* Takes the code that another module of the same archive has loaded, of parts the first, for a device of the
 * same compute capability, and makes sure that it works in this module's context, which must be current.
 * Otherwise as cbn_image_try(). */
enum cbn_attempt cbn_image_share(struct cubinet_module *module, const struct cubinet_module *other,
                                 struct cbn_refusal *out_refusal, cubinet_status *out_status);

/* Lets go of the module's code, if it has some. */
cbn_cu_result cbn_image_unload(struct cubinet_module *module);

#endif
