/* SPDX-License-Identifier: Apache-2.0 */
/* What a build depends on and Ninja does not see: which toolkit its path leads to, and the date that the
 * environment gives. */
#ifndef BUILD_ENVIRONMENT_H
#define BUILD_ENVIRONMENT_H

#include "build/build_plan.h"

/* The file in the build folder on which all compiles and links of `cubinet build` depend. */
#define BUILD_ENVIRONMENT_FILE ".cubinet-environment"

/* Writes it, and leaves it alone if nothing has changed. The folder is there. */
cubinet_status build_environment_write(const struct build_request *request, const struct build_plan *plan);

#endif
