/* SPDX-License-Identifier: Apache-2.0 */
/* Writing results into a cache's folder, and keeping that within its limit. */
#include "loader/cache/cache_counters.h"
#include "loader/cache/cache_entry.h"
#include "loader/cache/cache_state.h"
#include "loader/cache/cache_store.h"
#include "loader/cache/cache_sweep.h"

#include <string.h>

/* The counters know how large the folder is, but for what killed processes and other versions of this library
 * wrote: so it is looked through every so often whatever they say: at a few microseconds for each entry
 * that is there, that costs some thirty for each that is written. */
enum { FEWEST_STORES = 64, ENTRIES_FOR_EACH_STORE = 8 };

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

/* An entry that was written. */
struct store {
    uint64_t size;
    uint64_t limit; /* of the folder */
    bool is_sweep_due;
};

static void count_store(void *user, struct cbn_cache_counters *counters)
{
    struct store *store = user;
    uint64_t *values = counters->values;
    values[CBN_COUNT_BYTES] += store->size;
    values[CBN_COUNT_ADDED_BYTES] += store->size;
    values[CBN_COUNT_ENTRIES]++;
    values[CBN_COUNT_STORES]++;
    uint64_t most = FEWEST_STORES + values[CBN_COUNT_ENTRIES] / ENTRIES_FOR_EACH_STORE;
    store->is_sweep_due = values[CBN_COUNT_SWEEPS] == 0 || values[CBN_COUNT_BYTES] > store->limit ||
                          values[CBN_COUNT_STORES] > most;
    if (values[CBN_COUNT_STORES] > most) {
        values[CBN_COUNT_STORES] = 0; /* this process looks, so that the others need not */
    }
}

static bool is_sweep_due(cubinet_cache *cache, uint64_t size)
{
    pthread_mutex_lock(&cache->mutex);
    cache->stats.stores++;
    pthread_mutex_unlock(&cache->mutex);
    struct store store = {.size = size, .limit = cache->disk_limit};
    return !cbn_cache_counters_change(&cache->own, count_store, &store) || store.is_sweep_due;
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
    if (cbn_cache_sweep_and_count(&cache->own, cache->disk_limit, target,
                                  cbn_cache_entry_name(just_stored, name), &swept) == 0) {
        pthread_mutex_lock(&cache->mutex);
        cache->stats.evictions += swept.removed;
        pthread_mutex_unlock(&cache->mutex);
    }
}
