/* SPDX-License-Identifier: Apache-2.0 */
/* What a slice by records says of itself in the archives that it writes: loader/core/archive/rest.h. */
#ifndef SLICE_REST_H
#define SLICE_REST_H

#include "command/slice_marks.h"
#include "command/slice_used.h"

/* Lists the kernels, too, that are in no image that was kept: asking for one is an error that says so, or
 * finds it in the rest. Of modules of which nothing was kept the names are kept. `rest`: NULL if there is
 * none, or its path. */
cubinet_status slice_rest_describe(const struct shown_archive *shown, const struct slice_marks *marks,
                                   const struct slice_used *used, const char *rest_path, struct draft *draft,
                                   struct draft *rest);

/* Prints how many bytes and kernels of each module are kept. */
cubinet_status slice_rest_print(const struct shown_archive *shown, const struct slice_marks *marks,
                                const struct slice_used *used);

#endif
