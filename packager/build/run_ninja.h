/* SPDX-License-Identifier: Apache-2.0 */
/* Running Ninja. */
#ifndef RUN_NINJA_H
#define RUN_NINJA_H

#include "build/ninja_output.h"

#include <cubinet/status.h>

#include <stdint.h>

/* Takes the build folder for this process and those that it starts; waits, and says so, while another one has
 * it. CUBINET_ERROR_LIMIT if it still has it after $CUBINET_CACHE_WAIT. */
cubinet_status run_ninja_lock(const char *folder);

/* About how long a step takes, in seconds, by what it is called; negative: not known. */
typedef double (*ninja_seconds_fn)(const void *data, const char *text);

struct ninja_run {
    const char *file;
    uint32_t jobs; /* 0: as many as Ninja likes */
    ninja_seconds_fn seconds;
    const void *data; /* for it */
};

/* Runs Ninja: the one that the environment's NINJA names, or else the first of ninja, ninja-build and samu in
 * the PATH. What it prints goes by way of `output`. `out_exit` is its exit status. What ends Ninja by a
 * signal ends this process as well. */
cubinet_status run_ninja(const struct ninja_run *run, struct ninja_output *output, int *out_exit);

#endif
