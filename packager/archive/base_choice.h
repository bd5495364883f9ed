/* SPDX-License-Identifier: Apache-2.0 */
/* Finding for each image of a plan the base that it is best compressed after. A module's images are compared
 * with each other and with a few of other modules that look similar; what makes the whole smallest is kept.
 */
#ifndef BASE_CHOICE_H
#define BASE_CHOICE_H

#include "archive/image_plan.h"

/* Fills in the bases of a plan that has none yet. zstd_level: 1 to 19. */
cubinet_status base_choice_make(struct image_plan *plan, int zstd_level, struct frame_packer *packer);

#endif
