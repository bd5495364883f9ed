/* SPDX-License-Identifier: Apache-2.0 */
/* A layer beyond the folders: entries that other machines made. It is asked for what no folder has, and given
 * what was made; the cache looks at what it hands over as at a file that anyone could have written, so that a
 * layer that lies, or is damaged on the way, is a miss. */
#ifndef CBN_CACHE_REMOTE_H
#define CBN_CACHE_REMOTE_H

#include "loader/cache/cache_key.h"

#include <cubinet/cache.h>

#include <stdbool.h>
#include <stddef.h>

struct cbn_cache_remote {
    /* The stored entry of a key, as its file is on disk (docs/reference/cache.md, "Entries"), from malloc();
     * false: a miss. Any thread. */
    bool (*find)(void *user, const struct cbn_cache_key *key, void **out_entry, size_t *out_size);
    /* Stores an entry, in the place of any that is there. Any thread. */
    void (*store)(void *user, const struct cbn_cache_key *key, const void *entry, size_t size);
    void *user;
};

/* Gives a cache such a layer, before the cache is first used. `remote` is copied; what it points to must
 * outlive the cache. */
void cbn_cache_set_remote(cubinet_cache *cache, const struct cbn_cache_remote *remote);

#endif
