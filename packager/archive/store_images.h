/* SPDX-License-Identifier: Apache-2.0 */
/* Storing the images of a plan, in several threads where compressing takes long. */
#ifndef STORE_IMAGES_H
#define STORE_IMAGES_H

#include "archive/stored_image.h"

#include <stdint.h>

/* Stores every image of the plan at that level (0: as it is) in `images`, which has room for all; one that is
 * the same as an earlier one shares what is stored of that. `threads` compress: 0 as many as there are
 * processors, and in a build that shares its threads no more than are free (threads.h). The result does not
 * depend on it. After a failure the caller frees what is there. */
cubinet_status store_images(const struct image_plan *plan, int zstd_level, uint32_t threads,
                            struct stored_image *images);

/* The same without compressing anything: the draft of the plan is of all modules and images of this archive,
 * and each image is stored as it is there. The archive must outlive the result. */
cubinet_status store_images_as(const struct image_plan *plan, const cubinet_archive *archive,
                               struct stored_image *images);

#endif
