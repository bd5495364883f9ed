/* SPDX-License-Identifier: Apache-2.0 */
/* The two forms in which `cubinet requirements` prints. */
#ifndef REQUIREMENTS_OUTPUT_H
#define REQUIREMENTS_OUTPUT_H

#include "show/requirements_whole.h"
#include "show/shown_archive.h"

cubinet_status requirements_print(const struct shown_archive *shown);
cubinet_status requirements_print_json(const struct shown_archive *shown);

/* Modules that selection sees no difference between. */
struct requirements_group {
    const struct listing_module *first;
    uint32_t count;
};

/* Takes what a group needs into an output; the table is there until it returns. */
typedef cubinet_status (*requirements_take_fn)(void *data, const struct requirements_group *group,
                                               uint32_t number, const struct requirements_table *table);

/* The archive, group by group. */
struct requirements_walk {
    struct requirements_grid grid;
    struct requirements_group *groups;
    uint32_t group_count;
    uint32_t *group_of; /* for each module of the listing */
    struct requirements_whole whole;
};

/* Gives every group to `take`, warns of modules that run on no GPU, and makes the whole of the others. After
 * a failure nothing is held. */
cubinet_status requirements_walk_make(const struct listing *listing, requirements_take_fn take, void *data,
                                      struct requirements_walk *out_walk);
void requirements_walk_free(struct requirements_walk *walk);

#endif
