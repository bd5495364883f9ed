/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_remote.h"

#include "loader/cache/cache_entry.h"
#include "loader/cache/cache_find.h"
#include "loader/cache/cache_load.h"
#include "loader/cache/cache_state.h"

#include <stdlib.h>
#include <string.h>

void cbn_cache_set_remote(cubinet_cache *cache, const struct cbn_cache_remote *remote)
{
    cache->remote = *remote;
}

bool cbn_cache_has_remote(const cubinet_cache *cache)
{
    return cache->remote.find != NULL;
}

struct cbn_cache_loaded cbn_cache_fetch(cubinet_cache *cache, const struct cbn_cache_key *key)
{
    void *bytes = NULL;
    size_t size = 0;
    if (!cbn_cache_has_remote(cache) || !cache->remote.find(cache->remote.user, key, &bytes, &size)) {
        return (struct cbn_cache_loaded){0};
    }
    return cbn_cache_take(bytes, size, key);
}

void cbn_cache_send(cubinet_cache *cache, const struct cbn_cache_key *key, const struct cbn_blob *blob)
{
    if (!cache->remote.store) {
        return;
    }
    size_t head_size = 0;
    unsigned char *entry = cbn_cache_entry_head(key, blob->data, blob->size, &head_size);
    unsigned char *whole = entry ? realloc(entry, head_size + blob->size) : NULL;
    if (!whole) {
        free(entry); /* without memory it is not sent, and that is all */
        return;
    }
    memcpy(whole + head_size, blob->data, blob->size);
    cache->remote.store(cache->remote.user, key, whole, head_size + blob->size);
    free(whole);
}
