/* SPDX-License-Identifier: Apache-2.0 */
/* The entries that a cache holds in memory, the most recently used of them: no system calls, and the caller
 * sees to it that one thread at a time uses it. */
#ifndef CBN_CACHE_MEMORY_H
#define CBN_CACHE_MEMORY_H

#include "loader/cache/cache_blob.h"
#include "loader/cache/cache_key.h"

#include <stdint.h>

struct cbn_memory_entry;

struct cbn_cache_memory {
    uint64_t limit; /* bytes */
    uint64_t bytes; /* of keys and blobs */
    size_t count;
    size_t bucket_count;               /* 0 or a power of two, at least `count` */
    struct cbn_memory_entry **buckets; /* by the key's digest */
    struct cbn_memory_entry *newest;
    struct cbn_memory_entry *oldest;
};

/* Zero-initialise, then set `limit`. */

/* The blob of that key, with one user more; NULL if it is not there. */
struct cbn_blob *cbn_memory_find(struct cbn_cache_memory *memory, const struct cbn_cache_key *key);

/* Keeps a blob, and lets go of the least recently used ones beyond the limit. What is larger than the limit,
 * or finds no memory, is not kept. */
void cbn_memory_add(struct cbn_cache_memory *memory, const struct cbn_cache_key *key, struct cbn_blob *blob);

void cbn_memory_clear(struct cbn_cache_memory *memory);

#endif
