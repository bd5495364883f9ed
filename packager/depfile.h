/* SPDX-License-Identifier: Apache-2.0 */
/* Depfiles: one rule in the syntax that Ninja and GNU make share. */
#ifndef DEPFILE_H
#define DEPFILE_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct depfile {
    const char *target;
    const char *const *paths; /* at least one; the first is the source */
    size_t path_count;
    const char *folder; /* the working folder: the build tool's, absolute */
    bool phony;         /* a rule without recipe for each path but the first, as gcc's -MP */
};

/* The depfile's text, which the caller frees.
 *
 * Space, '$', '#' and ':' are escaped. Some characters have no spelling that Ninja 1.11 and GNU make both
 * read (such as '&' and quotes): a path with one is written relative to the working folder if that leaves the
 * character out; otherwise the rule gets an input that never exists, so that the build tool runs the command
 * each time, which then looks for itself whether there is something to do. */
cubinet_status depfile_text(const struct depfile *depfile, char **out_text);

#endif
