/* SPDX-License-Identifier: Apache-2.0 */
/* What would be launched without tuning. */
#ifndef DEFAULT_LAUNCH_H
#define DEFAULT_LAUNCH_H

#include "tune/candidates.h"

#include <cubinet/launch.h>

/* The description's default, or else what the library suggests for the first instance, with the first of the
 * other alternatives. False, and no error, if the library suggests nothing, or what the restrictions forbid.
 */
cubinet_status default_launch(const struct tune_set *set, const cubinet_kernel *kernel,
                              const struct tune_extent *extent, uint32_t multiprocessors,
                              struct candidate *out_candidate, bool *out_found);

#endif
