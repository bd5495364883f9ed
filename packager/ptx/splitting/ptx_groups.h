/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels and variables stay together. */
#ifndef PTX_GROUPS_H
#define PTX_GROUPS_H

#include "ptx/splitting/ptx_units.h"

struct ptx_group {
    size_t first_kernel; /* a unit: the first by name */
    size_t *members;     /* units: kernels, and variables with state; ascending */
    size_t member_count;
};

struct ptx_groups {
    struct ptx_group *items; /* ascending by the names of their first kernels */
    size_t count;
    size_t *rows;               /* that the members lie in */
    struct cbn_ptx_token joint; /* a variable that may have joined kernels; size 0: there is none */
    bool failed;                /* memory is out */
};

/* Sets of kernels as small as can be; what no kernel uses is in the first. The caller frees them, whatever
 * the outcome. */
struct ptx_groups ptx_groups_make(const struct ptx_units *units);
void ptx_groups_free(struct ptx_groups *groups);

/* Marks with a value what a unit reaches, itself too, and lists what did not have that mark yet. `reached`
 * has room for all units. How many there are. */
size_t ptx_groups_mark(const struct ptx_units *units, size_t unit, size_t value, size_t *mark,
                       size_t *reached);

#endif
