/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_find.h"

#include "loader/cache/cache_state.h"

#include <stdlib.h>
#include <string.h>

static struct cbn_cache_loaded look(cubinet_cache *cache, const struct cbn_cache_key *key,
                                    enum cbn_cache_source layer)
{
    if (layer == CBN_CACHE_DISK && cbn_cache_folder_is_open(&cache->own)) {
        return cbn_cache_load_used(&cache->own, key);
    }
    if (layer == CBN_CACHE_SHARED && cbn_cache_folder_is_open(&cache->shared)) {
        return cbn_cache_load(&cache->shared, key);
    }
    return layer == CBN_CACHE_REMOTE ? cbn_cache_fetch(cache, key) : (struct cbn_cache_loaded){0};
}

struct cbn_blob *cbn_cache_find(cubinet_cache *cache, const struct cbn_cache_key *key,
                                enum cbn_cache_source layer)
{
    struct cbn_cache_loaded loaded = look(cache, key, layer);
    cbn_cache_note_damage(cache, key, loaded.damage);
    return loaded.blob;
}

void cbn_cache_put(cubinet_cache *cache, const struct cbn_cache_key *key, const void *bytes, size_t size,
                   enum cbn_cache_source layer)
{
    void *copy = calloc(1, size + 1);
    struct cbn_blob *blob = copy ? cbn_blob_create(copy, copy, size) : NULL;
    if (!blob) {
        free(copy); /* without memory it is not kept, and that is all */
        return;
    }
    if (size) {
        memcpy(copy, bytes, size);
    }
    if (layer == CBN_CACHE_REMOTE) {
        cbn_cache_send(cache, key, blob);
    } else if (cbn_cache_folder_is_open(&cache->own) && cbn_cache_keep(cache, key, blob)) {
        cbn_cache_evict(cache, key);
    }
    cbn_blob_release(blob);
}

struct cbn_cache_claim cbn_cache_claim(cubinet_cache *cache, const struct cbn_cache_key *key)
{
    struct cbn_cache_claim claim = {.lock = {.fd = -1}};
    if (cbn_cache_folder_is_open(&cache->own)) {
        enum cbn_cache_lock_result result =
            cbn_cache_lock(&cache->own, cbn_cache_lock_of(&key->digest), cache->wait_limit_ms, &claim.lock);
        cbn_cache_note_lock(cache, result);
        claim.waited = result == CBN_CACHE_LOCKED_LATE || result == CBN_CACHE_LOCK_BUSY;
    }
    return claim;
}

void cbn_cache_unclaim(struct cbn_cache_claim *claim)
{
    cbn_cache_unlock(&claim->lock);
}
