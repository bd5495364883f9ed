/* SPDX-License-Identifier: Apache-2.0 */
/* Which module each source of a build goes into, and which sources are linked into one. */
#ifndef BUILD_MODULES_H
#define BUILD_MODULES_H

#include "build/build_request.h"
#include "toolkit/arch.h"

/* Names the modules that were not named, and the pieces of those with several sources. Fails if two sources
 * would make one module without being told to. */
cubinet_status build_modules_complete(struct build_request *request);

/* Fails if a module of several sources is to be what a link does not make. */
cubinet_status build_modules_check_plan(const struct build_request *request, const struct arch_plan *plan);

/* Whether a source is the first of its module. */
bool build_modules_is_first(const struct build_request *request, size_t source);

#endif
