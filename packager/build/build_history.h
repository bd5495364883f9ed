/* SPDX-License-Identifier: Apache-2.0 */
/* How long the steps of a build took last time, for an idea of how long they will take. */
#ifndef BUILD_HISTORY_H
#define BUILD_HISTORY_H

#include "build/build_plan.h"
#include "build/build_request.h"

#include <jansson.h>

/* Seconds by what a step is called, from Ninja's log (ninja_log_read()). The caller frees it; NULL if memory
 * is out. */
json_t *build_history(const struct build_request *request, const struct build_plan *plan, const json_t *log);

/* Seconds of one step; negative: it is not known. `history` is a json_t, or NULL. */
double build_history_seconds(const void *history, const char *text);

#endif
