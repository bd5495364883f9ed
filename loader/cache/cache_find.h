/* SPDX-License-Identifier: Apache-2.0 */
/* A cache for those who know the key of a result only when they have it, as a compile does: finding and
 * keeping apart, beside cbn_cache_obtain(). Memory is left out: who comes this way asks once.
 *
 *     struct cbn_cache_claim claim = cbn_cache_claim(cache, what);   // others with the same need wait
 *     struct cbn_blob *blob = cbn_cache_find(cache, key, CBN_CACHE_DISK);
 *     ... if there is none: make it ...
 *     cbn_cache_put(cache, key, made, size, CBN_CACHE_DISK);
 *     cbn_cache_unclaim(&claim);
 */
#ifndef CBN_CACHE_FIND_H
#define CBN_CACHE_FIND_H

#include "loader/cache/cache.h"
#include "loader/cache/cache_lock.h"

#include <stdbool.h>

/* The key's entry from one layer: CBN_CACHE_DISK, CBN_CACHE_SHARED or CBN_CACHE_REMOTE. NULL: it is not
 * there. The caller releases it. */
struct cbn_blob *cbn_cache_find(cubinet_cache *cache, const struct cbn_cache_key *key,
                                enum cbn_cache_source layer);

/* Keeps a copy of `size` bytes under a key in one layer, in the place of what is there: CBN_CACHE_DISK or
 * CBN_CACHE_REMOTE. What can't be kept is logged and counted. */
void cbn_cache_put(cubinet_cache *cache, const struct cbn_cache_key *key, const void *bytes, size_t size,
                   enum cbn_cache_source layer);

/* Whether there is a layer on other machines. */
bool cbn_cache_has_remote(const cubinet_cache *cache);

/* The right to make what a key stands for. Where it can't be had in time, or there are no locks, it is not
 * held, and the same is made more than once. */
struct cbn_cache_claim {
    struct cbn_cache_lock lock;
    bool waited; /* another process had it: what is needed may be there by now */
};
struct cbn_cache_claim cbn_cache_claim(cubinet_cache *cache, const struct cbn_cache_key *key);
void cbn_cache_unclaim(struct cbn_cache_claim *claim);

#endif
