/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes that use a folder have counted together, in its file `counters`: how large the folder
 * has grown, so that not every process that writes an entry has to look through it, and what compiles found.
 *
 * The counts are read, changed and written back under a lock. A process that is killed loses no more than
 * what it was about to count; a file that is missing or damaged counts from nothing. Nothing that is found
 * in the cache depends on them. */
#ifndef CBN_CACHE_COUNTERS_H
#define CBN_CACHE_COUNTERS_H

#include "loader/cache/cache_folder.h"

#include <stdbool.h>
#include <stdint.h>

enum cbn_cache_counter {
    /* Of the folder. They say nothing until CBN_COUNT_SWEEPS is above 0. */
    CBN_COUNT_SWEEPS,      /* times that it was looked through */
    CBN_COUNT_BYTES,       /* that it holds, or more: replaced entries count until the next sweep */
    CBN_COUNT_ENTRIES,     /* the same */
    CBN_COUNT_STORES,      /* since it was last looked through */
    CBN_COUNT_ADDED_BYTES, /* ever */

    /* Of compiles, since the counters were last set to zero. */
    CBN_COUNT_HITS,
    CBN_COUNT_SHARED_HITS,
    CBN_COUNT_REMOTE_HITS,
    CBN_COUNT_MISSES,
    CBN_COUNT_FAILURES,    /* misses whose source was refused */
    CBN_COUNT_UNCACHEABLE, /* that tell the time, write files of their own, or whose files changed */
    CBN_COUNT_SINCE,       /* when they were set to zero: seconds since 1970; 0: not known */
    CBN_COUNTERS_BEFORE_CODE,
    /* Of machine code that compiles needed, by part and target, since then. */
    CBN_COUNT_CODE_HITS = CBN_COUNTERS_BEFORE_CODE,
    CBN_COUNT_CODE_SHARED_HITS,
    CBN_COUNT_CODE_REMOTE_HITS,
    CBN_COUNT_CODE_MISSES,
    CBN_COUNTERS,
};

struct cbn_cache_counters {
    uint64_t values[CBN_COUNTERS];
};

/* The counts as they are now; all zero if there are none. 0, or why the file can't be read, as in errno:
 * EPERM unless it is a regular file that only the folder's owner can write to. */
int cbn_cache_counters_read(const struct cbn_cache_folder *folder, struct cbn_cache_counters *out_counters);

/* Has `change` alter the counts, which no other process alters meanwhile. False if they can't be locked soon,
 * or not be written: then nothing changed. */
typedef void (*cbn_cache_change_fn)(void *user, struct cbn_cache_counters *counters);
bool cbn_cache_counters_change(const struct cbn_cache_folder *folder, cbn_cache_change_fn change, void *user);

/* Adds one. */
void cbn_cache_counters_add(const struct cbn_cache_folder *folder, enum cbn_cache_counter counter);

#endif
