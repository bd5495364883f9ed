/* SPDX-License-Identifier: Apache-2.0 */
/* Handing one part of an image to the driver; an ordinary image is one part. */
#ifndef CBN_LOAD_PART_H
#define CBN_LOAD_PART_H

#include "loader/driver/module.h"

enum cbn_attempt {
    CBN_ATTEMPT_LOADED,
    CBN_ATTEMPT_REFUSED, /* the driver will not run this; another image may do */
    CBN_ATTEMPT_FAILED,  /* no image will do: out of memory, a dead context, a damaged archive … */
};

/* Why the driver refused an image. */
struct cbn_refusal {
    cbn_cu_result result;
    char *text; /* a sentence, and after it lines of the JIT's log; the caller frees it; NULL if memory was
                   out */
};

/* Whether the driver is sure to run the module's image, as far as the archive tells: machine code for this
 * very architecture, by a toolkit that the driver's release knows. */
bool cbn_image_is_sure(const struct cubinet_module *module, const cubinet_image_info *info);

/* Tries to load a part of the image that the module has chosen, unless it is loaded: digest, driver, and as
 * many of its kernels as it takes to know that it runs. The module's context must be current. Any number of
 * threads may load parts at the same time, also the same one.
 *
 * make_ready: the driver is to place the code on the device now, also where it surely runs
 *
 * REFUSED fills `out_refusal` and leaves the thread's message as it was. FAILED sets the thread's message and
 * `out_status`. After both, nothing of the part is loaded. */
enum cbn_attempt cbn_part_load(struct cubinet_module *module, uint32_t part, bool make_ready,
                               struct cbn_refusal *out_refusal, cubinet_status *out_status);

/* Makes sure that a part works in this module's context, which must be current, that a module of another
 * device has loaded and shares. Otherwise as cbn_part_load(). */
enum cbn_attempt cbn_part_prove(struct cubinet_module *module, uint32_t part, struct cbn_refusal *out_refusal,
                                cubinet_status *out_status);

/* Keeps what is needed to load a part of an archive whose memory is about to go, unless it is loaded. */
void cbn_part_keep(struct cubinet_module *module, uint32_t part);

#endif
