/* SPDX-License-Identifier: Apache-2.0 */
/* Writing results into a cache's folder, and keeping that within its limit. */
#include "cache_entry.h"
#include "cache_state.h"
#include "cache_store.h"
#include "cache_sweep.h"

#include <string.h>

/* Looking through a folder takes a few microseconds for each entry: a small one is looked through after every
 * entry that is written, and a large one so seldom that it costs a few milliseconds for each. */
enum { ENTRIES_FOR_EACH_STORE = 1024 };

/* An eviction goes a tenth below the limit, so that not every entry calls for another one. */
enum { EVICTED_PART = 10 };

static void tell_store_failure(cubinet_cache *cache, int error)
{
    pthread_mutex_lock(&cache->mutex);
    cache->stats.store_failures++;
    bool is_first = !cache->told_store_failure;
    cache->told_store_failure = true;
    pthread_mutex_unlock(&cache->mutex);
    if (is_first) {
        cbn_log(&cache->log, CUBINET_LOG_WARNING,
                "the cache folder '%s' cannot be written to, so some results are not kept: %s",
                cache->own.path, strerror(error));
    }
}

static bool is_sweep_due(cubinet_cache *cache, uint64_t size)
{
    pthread_mutex_lock(&cache->mutex);
    cache->stats.stores++;
    cache->disk_bytes += size;
    bool is_due = cache->stores_to_sweep == 0 || cache->disk_bytes > cache->disk_limit;
    cache->stores_to_sweep -= is_due ? 0 : 1;
    pthread_mutex_unlock(&cache->mutex);
    return is_due;
}

static void note_sweep(cubinet_cache *cache, const struct cbn_cache_swept *swept)
{
    pthread_mutex_lock(&cache->mutex);
    cache->stats.evictions += swept->removed;
    cache->disk_bytes = swept->left_bytes;
    cache->stores_to_sweep = swept->left / ENTRIES_FOR_EACH_STORE;
    pthread_mutex_unlock(&cache->mutex);
}

bool cbn_cache_keep(cubinet_cache *cache, const struct cbn_cache_key *key, const struct cbn_blob *blob)
{
    uint64_t size = 0;
    int error = cbn_cache_store(&cache->own, key, blob, cache->disk_limit, &size);
    if (error) {
        tell_store_failure(cache, error);
        return false;
    }
    return is_sweep_due(cache, size);
}

void cbn_cache_evict(cubinet_cache *cache, const struct cbn_cache_key *just_stored)
{
    char name[CBN_CACHE_NAME_SIZE];
    uint64_t target = cache->disk_limit - cache->disk_limit / EVICTED_PART;
    struct cbn_cache_swept swept;
    if (cbn_cache_sweep(&cache->own, cache->disk_limit, target, cbn_cache_entry_name(just_stored, name),
                        &swept) == 0) {
        note_sweep(cache, &swept);
    }
}
