/* SPDX-License-Identifier: Apache-2.0 */
/* Which steps of a build took longest. */
#ifndef BUILD_SLOWEST_H
#define BUILD_SLOWEST_H

#include "build_plan.h"
#include "build_request.h"
#include "ninja_log.h"

#include <stdio.h>

/* Prints a few of them, if there were several. */
cubinet_status build_slowest_print(const struct build_request *request, const struct build_plan *plan,
                                   const struct ninja_steps *steps, FILE *file);

#endif
