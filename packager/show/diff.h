/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between two archives: for `cubinet diff`. */
#ifndef DIFF_H
#define DIFF_H

#include "show/shown_archive.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum difference_side { DIFFERENCE_REMOVED, DIFFERENCE_ADDED, DIFFERENCE_CHANGED };

/* Numbers of a quantity: one, or x, y and z. All are integers but for occupancy. */
struct difference_value {
    double numbers[3];
    size_t count;
    bool known;
};

/* One thing that is in one archive alone, or one quantity that is not the same in both. Strings belong to the
 * archives. */
struct difference {
    enum difference_side side;
    const char *what; /* a thing: "module", "image", "kernel", "global", "export", "import", "tuning"; or a
                         quantity: "code", "launch", "bytes", "occupancy", and the names of resource_fields */
    const char *module;
    const char *name;                      /* of the kernel or global; NULL: it is about neither */
    char target[CUBINET_TARGET_NAME_SIZE]; /* of the image; "": it is about none in particular */
    struct difference_value old_value;     /* of a quantity that has numbers; "code" has none */
    struct difference_value new_value;
};

struct diff {
    struct difference *items; /* by module, then image, then kernel */
    size_t count;
};

/* Compares two archives. Kernels and globals are the same if their lowered names are, images if their targets
 * are. What lies inside a thing that was added or removed is not listed on its own.
 * block_threads: for occupancy; 0: of the best block size */
cubinet_status diff_archives(const struct shown_archive *before, const struct shown_archive *after,
                             uint32_t block_threads, struct diff *out_diff);
void diff_free(struct diff *diff);

/* What `--fail-on` asks for. */
struct diff_criteria {
    bool any; /* whatever differs */
    bool added;
    bool removed;
    unsigned quantities; /* bit i: the i-th that diff_criteria.c lists */
};

/* Reads a list of words: "registers,local_bytes,removed". CUBINET_ERROR_INVALID_ARGUMENT names a wrong word
 * and the nearest. */
cubinet_status diff_criteria_parse(const char *words, struct diff_criteria *criteria);

/* Whether a difference is one of those asked for. A quantity counts when it got worse: more registers, more
 * bytes, less occupancy, fewer threads; one that is neither better nor worse counts when it changed. */
bool diff_criteria_match(const struct diff_criteria *criteria, const struct difference *difference);

/* For people and as JSON, on standard output. */
struct diff_shown {
    const struct shown_archive *before;
    const struct shown_archive *after;
    const struct diff *diff;
    const struct diff_criteria *criteria;
    size_t matches; /* how many of the differences match the criteria */
};
cubinet_status diff_print(const struct diff_shown *shown);
cubinet_status diff_print_json(const struct diff_shown *shown);

/* A number, an array of them, or null if they are not known. */
json_t *diff_value_json(const struct difference_value *value);

#endif
