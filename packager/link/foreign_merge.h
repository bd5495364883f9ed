/* SPDX-License-Identifier: Apache-2.0 */
/* Images of different kernels that are to be one module: PTX becomes one text. A module has one image for a
 * target, and finished machine code is not linked again. */
#ifndef FOREIGN_MERGE_H
#define FOREIGN_MERGE_H

#include "link/foreign_list.h"

/* Makes one of the images of a module for one target that differ and are to be merged, if they are PTX and
 * fit. Those that do not stay as they are. The list is sorted, before and after. */
cubinet_status foreign_merge(struct foreign_list *list);

/* CUBINET_ERROR_INVALID_ARGUMENT, with both files and with what to do, of two images that differ and have one
 * module and target. */
cubinet_status foreign_merge_refuse(const struct foreign_image *left, const struct foreign_image *right);

#endif
