/* SPDX-License-Identifier: Apache-2.0 */
/* Running Ninja. */
#ifndef RUN_NINJA_H
#define RUN_NINJA_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stdint.h>

/* Takes the build folder for this process and those that it starts; waits, and says so, while another one has
 * it. CUBINET_ERROR_LIMIT if it still has it after $CUBINET_CACHE_WAIT. */
cubinet_status run_ninja_lock(const char *folder);

struct ninja_run {
    const char *file;
    uint32_t jobs;  /* 0: as many as Ninja likes */
    bool quiet;     /* no status lines; Ninja before 1.11 prints them all the same */
    bool to_errors; /* what Ninja prints goes to standard error */
};

/* Runs Ninja: the one that the environment's NINJA names, or else the first of ninja, ninja-build and samu in
 * the PATH. `out_exit` is its exit status. What ends Ninja by a signal ends this process as well. */
cubinet_status run_ninja(const struct ninja_run *run, int *out_exit);

#endif
