/* SPDX-License-Identifier: Apache-2.0 */
/* What a build has made, at its end: the summary, or --json. */
#ifndef BUILD_OUTCOME_H
#define BUILD_OUTCOME_H

#include "build/build_plan.h"
#include "build/build_request.h"
#include "build/ninja_log.h"
#include "process/build_notes.h"

struct build_outcome {
    const struct build_request *request;
    const struct build_plan *plan;
    struct ninja_steps steps; /* that were run */
    struct build_notes notes;
    const struct cbn_text_list *warnings;
    double seconds;
};

/* Prints what was made, how long it took and what was slow; nothing if no step was run. */
cubinet_status build_outcome_print(const struct build_outcome *outcome);

/* Prints a document of it, with the profile if the request asks for one. */
cubinet_status build_outcome_print_json(const struct build_outcome *outcome);

#endif
