/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of an image a slice by records keeps: those with a kernel or a variable that was used. */
#ifndef SLICE_PARTS_H
#define SLICE_PARTS_H

#include "command/slice_marks.h"
#include "command/slice_used.h"

/* An array with an element for each part, which the caller frees; NULL if memory is out. Of an image that was
 * loaded and of which nothing was used, the first part is kept, as is an ordinary image. */
bool *slice_parts_kept(const struct shown_archive *shown, const struct slice_used *used,
                       const struct listing_module *module, uint32_t image);

/* Takes the parts that are not kept out of marked images of the draft, and out of those of the rest, which is
 * NULL or has all parts of all images, those that are. */
cubinet_status slice_parts_divide(const struct shown_archive *shown, const struct slice_marks *marks,
                                  const struct slice_used *used, struct draft *draft, struct draft *rest);

#endif
