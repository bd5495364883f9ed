/* SPDX-License-Identifier: Apache-2.0 */
/* `cubinet build --profile`. */
#ifndef BUILD_PROFILE_H
#define BUILD_PROFILE_H

#include <cubinet/status.h>

#include <stdbool.h>

/* Has what Ninja starts write a trace: into the folder that CUBINET_TRACE names, or else into one of the
 * build folder's own, from which the last build's is taken. */
cubinet_status build_profile_start(const char *folder);

/* Prints the profile of that trace. A build that had nothing to do has none. */
cubinet_status build_profile_print(bool json);

#endif
