/* SPDX-License-Identifier: Apache-2.0 */
/* What the time of a build went to: its slowest steps, and `cubinet build --profile`. */
#ifndef BUILD_PROFILE_H
#define BUILD_PROFILE_H

#include "build/build_plan.h"
#include "build/build_request.h"
#include "build/ninja_log.h"

#include <cubinet/status.h>

#include <jansson.h>
#include <stdio.h>

/* Has what Ninja starts write a trace: into the folder that CUBINET_TRACE names, or else into one of the
 * build folder's own, from which the last build's is taken. */
cubinet_status build_profile_start(const char *folder);

/* Prints the profile of that trace. A build that had nothing to do has none. */
cubinet_status build_profile_print(void);

/* The same as JSON, empty if there is none. */
cubinet_status build_profile_json(json_t **out_profile);

/* Prints the steps that took longest, if there were several. */
cubinet_status build_slowest_print(const struct build_request *request, const struct build_plan *plan,
                                   const struct ninja_steps *steps, FILE *file);

#endif
