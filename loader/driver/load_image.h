/* SPDX-License-Identifier: Apache-2.0 */
/* Handing one image to the driver. */
#ifndef CBN_LOAD_IMAGE_H
#define CBN_LOAD_IMAGE_H

#include "loader/driver/module.h"

enum cbn_attempt {
    CBN_ATTEMPT_LOADED,
    CBN_ATTEMPT_REFUSED, /* the driver will not run this image; another may do */
    CBN_ATTEMPT_FAILED,  /* no image will do: out of memory, a dead context, a damaged archive … */
};

/* Why the driver refused an image. */
struct cbn_refusal {
    cbn_cu_result result;
    char *text; /* a sentence, and after it lines of the JIT's log; the caller frees it; NULL if memory was
                   out */
};

/* Tries to load an image of the module's archive: digest, driver, and as many of its kernels as it takes to
 * know that it runs. The module's context must be current.
 *
 * make_ready: the driver is to place the code on the device now, also where it surely runs
 *
 * LOADED fills the module's code, kernels and image. REFUSED fills `out_refusal` and leaves the module and
 * the thread's message as they were. FAILED sets the thread's message and `out_status`. */
enum cbn_attempt cbn_image_try(struct cubinet_module *module, uint32_t image, const cubinet_image_info *info,
                               bool make_ready, struct cbn_refusal *out_refusal, cubinet_status *out_status);

/* Takes the code that another module of the same archive has loaded, for a device of the same compute
 * capability, and makes sure that it works in this module's context, which must be current. Otherwise as
 * cbn_image_try(). */
enum cbn_attempt cbn_image_share(struct cubinet_module *module, const struct cubinet_module *other,
                                 struct cbn_refusal *out_refusal, cubinet_status *out_status);

/* Lets go of the module's code, if it has some. */
cbn_cu_result cbn_image_unload(struct cubinet_module *module);

#endif
