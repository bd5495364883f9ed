/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiles of `cubinet build` tell it: whether their results came from the cache. A file in the
 * build folder has a line for each, "hit\tOUTPUT" or "miss\tOUTPUT". */
#ifndef BUILD_NOTES_H
#define BUILD_NOTES_H

#include <cubinet/status.h>

#include <stddef.h>

/* Has the processes that this one starts write notes, and drops those of the last build. */
cubinet_status build_notes_offer(const char *folder);

/* Adds a note, if a build wants any. One that can't be written is lost. */
void build_notes_add(const char *kind, const char *output);

struct build_notes {
    size_t hits;
    size_t misses;
    char *lines; /* NULL: none */
};

/* Reads the notes since build_notes_offer(). The caller frees them. */
void build_notes_read(struct build_notes *out_notes);
void build_notes_free(struct build_notes *notes);

/* What was noted about an output: "hit", "miss", or NULL. */
const char *build_notes_find(const struct build_notes *notes, const char *output);

#endif
