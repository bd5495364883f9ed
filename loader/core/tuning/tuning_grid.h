/* SPDX-License-Identifier: Apache-2.0 */
/* The grid of a tuned launch. */
#ifndef CBN_TUNING_GRID_H
#define CBN_TUNING_GRID_H

#include <cubinet/tuning.h>

#include <stdbool.h>

/* Whether the rule of the grid is one that is known. */
bool cbn_tuning_has_rule(const cubinet_tuning *tuning);

/* As cubinet_tuning_get_grid() of a record with such a rule; false if the grid does not fit into 32 bits, and
 * then `out_grid` is untouched. */
bool cbn_tuning_grid(const cubinet_tuning *tuning, const uint64_t extent[3], uint32_t out_grid[3]);

#endif
