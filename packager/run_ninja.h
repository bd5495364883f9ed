/* SPDX-License-Identifier: Apache-2.0 */
/* Handing over to Ninja. */
#ifndef RUN_NINJA_H
#define RUN_NINJA_H

#include <cubinet/status.h>

#include <stdint.h>

/* Takes the build folder for this process and what it becomes; waits, and says so, while another one has it.
 */
cubinet_status run_ninja_lock(const char *folder);

/* Becomes Ninja: the one that the environment's NINJA names, or else the first of ninja, ninja-build and samu
 * in the PATH. Signals, the terminal and the exit status are Ninja's own then. Returns only if there is none.
 *
 * jobs: 0: as many as Ninja likes */
cubinet_status run_ninja(const char *file, uint32_t jobs);

#endif
