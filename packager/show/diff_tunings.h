/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between the tuning records of two modules. */
#ifndef DIFF_TUNINGS_H
#define DIFF_TUNINGS_H

#include "show/diff.h"

/* The records of one thing that was tuned, for one target. */
struct tuning_difference {
    enum difference_side side;
    const char *what; /* an archive's */
    cubinet_target target;
};

struct tuning_differences {
    struct tuning_difference *items; /* by name, then target; the caller frees them */
    size_t count;
};

/* What was tuned in one of them alone, and what has other records in the two. */
cubinet_status diff_tunings(const struct shown_archive *before, const struct listing_module *old_module,
                            const struct shown_archive *after, const struct listing_module *new_module,
                            struct tuning_differences *out_differences);

#endif
