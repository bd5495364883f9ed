/* SPDX-License-Identifier: Apache-2.0 */
/* Which image of a module can be linked for a target. */
#ifndef CBN_LINK_CHOICE_H
#define CBN_LINK_CHOICE_H

#include <cubinet/archive.h>

#include <stdbool.h>

/* Whether an image's architecture lets it be linked for a target (a cubin's, whose suffix does not count). */
bool cbn_image_links_for(const cubinet_image_info *image, cubinet_target target);

/* Why it does not, as a sentence; `text` is cut if `capacity` is short. */
void cbn_link_describe(const cubinet_image_info *image, cubinet_target target, char *text, size_t capacity);

/* As cbn_link_choose_image(), but says no without an error. */
bool cbn_link_find_image(const cubinet_archive *archive, uint32_t module, cubinet_target target,
                         uint32_t *out_image);

/* The image of a module that links best for a target: LTO-IR of the highest architecture, else PTX, else a
 * cubin that is made to be linked. CUBINET_ERROR_NO_IMAGE, with every image in the message, if none does. */
cubinet_status cbn_link_choose_image(const cubinet_archive *archive, uint32_t module, cubinet_target target,
                                     uint32_t *out_image);

#endif
