/* SPDX-License-Identifier: Apache-2.0 */
/* Occupancy as JSON, for `cubinet occupancy --json` and for the report. */
#ifndef OCCUPANCY_JSON_H
#define OCCUPANCY_JSON_H

#include "occupancy_cases.h"

#include <jansson.h>

/* A case with its curve, or with the one point that was asked for, and the best point. */
json_t *occupancy_case_json(const struct occupancy_case *item, const struct occupancy_request *request);

#endif
