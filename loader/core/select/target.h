/* SPDX-License-Identifier: Apache-2.0 */
/* Targets' names, for callers that have their own message for one that is wrong. */
#ifndef CBN_TARGET_H
#define CBN_TARGET_H

#include <cubinet/target.h>

#include <stdbool.h>

/* As cubinet_target_parse(), but leaves the thread's message alone. */
bool cbn_target_read(const char *name, cubinet_target *out_target);

/* Whether targets of a kind may have that suffix. Tile IR has none; of a kind that is not known, any of those
 * that there are may be. */
bool cbn_target_suffix_fits(cubinet_image_kind kind, int suffix);

#endif
