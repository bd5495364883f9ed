/* SPDX-License-Identifier: Apache-2.0 */
/* Which images of an archive a slice keeps. */
#ifndef SLICE_MARKS_H
#define SLICE_MARKS_H

#include "command/edit.h"

/* Zero-initialise to start. */
struct slice_marks {
    bool **kept; /* by module of the listing, and image */
    uint32_t module_count;
    bool
        divide_parts; /* the rest gets marked images of parts, too, to take some of them out: slice_parts.h */
};

/* Asks for each module. */
cubinet_status slice_marks_make(const struct shown_archive *shown, edit_mark_fn mark, const void *user,
                                struct slice_marks *marks);
void slice_marks_free(struct slice_marks *marks);

/* Marks the images, too, that define what marked ones need to be linked. */
cubinet_status slice_marks_add_needed(const struct shown_archive *shown, struct slice_marks *marks);

/* Adds to the drafts what is marked of each module, and what is not; `rest` may be NULL. */
cubinet_status slice_marks_part(const struct shown_archive *shown, const struct slice_marks *marks,
                                struct draft *draft, struct draft *rest);

bool slice_marks_any(const struct slice_marks *marks, const struct listing_module *module, uint32_t number);

#endif
