/* SPDX-License-Identifier: Apache-2.0 */
/* What earlier builds left in a build folder and takes much room: precompiled headers for architectures that
 * are no longer asked for. */
#ifndef BUILD_SWEEP_H
#define BUILD_SWEEP_H

#include "build_plan.h"
#include "build_request.h"

/* Removes them. What can't be removed stays. */
void build_sweep(const struct build_request *request, const struct build_plan *plan);

#endif
