/* SPDX-License-Identifier: Apache-2.0 */
/* Depfiles: one rule in the syntax that Ninja and GNU make share. */
#ifndef DEPFILE_H
#define DEPFILE_H

#include "loader/core/support/text_list.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct depfile {
    const char *target;
    const char *const *paths; /* at least one; the first is the source */
    size_t path_count;
    bool phony; /* a rule without recipe for each path but the first, as gcc's -MP */
};

/* Whether a path can be written so that Ninja 1.11 and GNU make both read it. Space, '$', '#' and ':' can be
 * escaped; some characters have no spelling that both know, such as '&' and quotes. */
bool depfile_can_write(const char *path);

/* Replaces paths that can't be written by such that can: as seen from the working folder `folder` (absolute)
 * if that leaves the characters out, otherwise through a symbolic link in `link_folder`, which is made if it
 * is needed. */
cubinet_status depfile_make_writable(struct cbn_text_list *paths, const char *folder,
                                     const char *link_folder);

/* The depfile's text, which the caller frees. For paths that can't be written the rule gets an input that
 * never exists, so that the build tool runs the command each time. */
cubinet_status depfile_text(const struct depfile *depfile, char **out_text);

/* Writes the depfile to a file, which is replaced as a whole; NULL: to standard output. */
cubinet_status depfile_write(const struct depfile *depfile, const char *path);

#endif
