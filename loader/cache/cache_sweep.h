/* SPDX-License-Identifier: Apache-2.0 */
/* Looking through a cache's folder, and removing what is too much. What is removed is decided by looking,
 * each time: what the processes count together (cache_counters.h) only says when to look. */
#ifndef CBN_CACHE_SWEEP_H
#define CBN_CACHE_SWEEP_H

#include "loader/cache/cache_entry.h"
#include "loader/cache/cache_folder.h"

#include <stddef.h>
#include <stdint.h>

struct cbn_cache_file {
    char name[CBN_CACHE_NAME_SIZE];
    uint64_t size; /* bytes */
    int64_t used;  /* seconds since 1970 */
};

struct cbn_cache_listing {
    struct cbn_cache_file *files; /* in no order */
    size_t count;
    uint64_t bytes;
    size_t temporaries; /* half-written files */
};

/* Lists a folder's entries. 0, or errno. */
int cbn_cache_list(const struct cbn_cache_folder *folder, struct cbn_cache_listing *out_listing);
void cbn_cache_listing_free(struct cbn_cache_listing *listing);

/* What is removed from a folder, and what is left. */
struct cbn_cache_swept {
    uint64_t removed;
    uint64_t removed_bytes;
    uint64_t left;
    uint64_t left_bytes;
};

/* If there are more than `limit` bytes, removes the least recently used entries until no more than `target`
 * are left (0: all of them, empty files too), but never the one named `keep`, which may be NULL. Removes what
 * killed processes left half-written, too. Processes that do so at once do not remove more than one of them
 * would. Tells the folder's counters what is left. 0, or
 * errno; what could be removed is removed then as well. */
int cbn_cache_sweep_and_count(const struct cbn_cache_folder *folder, uint64_t limit, uint64_t target,
                              const char *keep, struct cbn_cache_swept *out_swept);

#endif
