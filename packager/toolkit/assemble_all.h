/* SPDX-License-Identifier: Apache-2.0 */
/* Assembling texts of PTX, each for several targets, side by side, in as many threads as there are to be had.
 */
#ifndef ASSEMBLE_ALL_H
#define ASSEMBLE_ALL_H

#include "toolkit/assemble.h"

struct assemble_outcome {
    bool is_done; /* false: not tried, since an earlier job had failed */
    cubinet_status status;
    char *error; /* of a failure; NULL if memory is out */
    struct assembled made;
};

/* Runs jobs, small ones one after another. Every job before the first that fails is done, whichever order
 * they ran in, so that what is told of them does not depend on it. `can_split`: the assembler splits its work
 * on one target over threads. The caller frees `outcomes`, one for each job, which are zero at first. */
void assemble_all(const struct cbn_nvjitlink *nvjitlink, const struct assemble_job *jobs, size_t count,
                  bool can_split, struct assemble_outcome *outcomes);
void assemble_outcomes_free(struct assemble_outcome *outcomes, size_t count);

#endif
