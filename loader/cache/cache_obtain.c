/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a key through the cache's layers: memory, folder, shared folder, other machines, and the work
 * itself. */
#include "loader/cache/cache_entry.h"
#include "loader/cache/cache_load.h"
#include "loader/cache/cache_lock.h"
#include "loader/cache/cache_state.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

struct work {
    cubinet_cache *cache;
    const struct cbn_cache_key *key;
    cbn_cache_make_fn make;
    void *user;
};

/* What was found, or made. */
struct result {
    struct cbn_blob *blob;
    enum cbn_cache_source source;
    const char *damage; /* of an entry that was met on the way */
};

static void count(cubinet_cache *cache, uint64_t *counter)
{
    pthread_mutex_lock(&cache->mutex);
    (*counter)++;
    pthread_mutex_unlock(&cache->mutex);
}

static cubinet_status make_blob(cbn_cache_make_fn make, void *user, struct cbn_blob **out_blob)
{
    void *data = NULL;
    size_t size = 0;
    cubinet_status status = make(user, &data, &size);
    if (status) {
        return status;
    }
    struct cbn_blob *blob = cbn_blob_create(data, data, size);
    if (!blob) {
        free(data);
        return cbn_error_memory();
    }
    *out_blob = blob;
    return CUBINET_OK;
}

static bool look_in(const struct cbn_cache_loaded *loaded, enum cbn_cache_source source,
                    struct result *result)
{
    result->blob = loaded->blob;
    result->source = source;
    result->damage = loaded->damage ? loaded->damage : result->damage;
    return loaded->blob != NULL;
}

static bool look_in_own(const cubinet_cache *cache, const struct cbn_cache_key *key, struct result *result)
{
    if (!cbn_cache_folder_is_open(&cache->own)) {
        return false;
    }
    struct cbn_cache_loaded loaded = cbn_cache_load_used(&cache->own, key);
    return look_in(&loaded, CBN_CACHE_DISK, result);
}

static bool look_on_disk(const cubinet_cache *cache, const struct cbn_cache_key *key, struct result *result)
{
    if (look_in_own(cache, key, result)) {
        return true;
    }
    if (!cbn_cache_folder_is_open(&cache->shared)) {
        return false;
    }
    struct cbn_cache_loaded loaded = cbn_cache_load(&cache->shared, key);
    return look_in(&loaded, CBN_CACHE_SHARED, result);
}

void cbn_cache_note_lock(cubinet_cache *cache, enum cbn_cache_lock_result result)
{
    pthread_mutex_lock(&cache->mutex);
    cache->stats.waits += result == CBN_CACHE_LOCKED_LATE || result == CBN_CACHE_LOCK_BUSY;
    bool tell = result == CBN_CACHE_LOCK_BUSY && !cache->told_wait;
    cache->told_wait = cache->told_wait || tell;
    pthread_mutex_unlock(&cache->mutex);
    if (tell) {
        cbn_log(&cache->log, CUBINET_LOG_WARNING,
                "another process has been making the same entry for over %u ms; no longer waiting for it",
                cache->wait_limit_ms);
    }
}

static cubinet_status make_result(const struct work *work, struct result *result)
{
    result->source = CBN_CACHE_MADE;
    count(work->cache, &work->cache->stats.misses);
    cubinet_status status = make_blob(work->make, work->user, &result->blob);
    if (status) {
        count(work->cache, &work->cache->stats.make_failures);
    }
    return status;
}

static bool look_remotely(cubinet_cache *cache, const struct cbn_cache_key *key, struct result *result)
{
    struct cbn_cache_loaded loaded = cbn_cache_fetch(cache, key);
    return look_in(&loaded, CBN_CACHE_REMOTE, result);
}

/* From other machines, or made and handed to them. */
static cubinet_status fetch_or_make(const struct work *work, struct result *result)
{
    if (look_remotely(work->cache, work->key, result)) {
        return CUBINET_OK;
    }
    cubinet_status status = make_result(work, result);
    if (!status) {
        cbn_cache_send(work->cache, work->key, result->blob);
    }
    return status;
}

/* Makes it while other processes wait, or finds what another one made that this one waited for. */
static cubinet_status make_alone(const struct work *work, struct result *result)
{
    cubinet_cache *cache = work->cache;
    if (!cbn_cache_folder_is_open(&cache->own)) {
        return fetch_or_make(work, result);
    }
    struct cbn_cache_lock lock = {.fd = -1};
    cbn_cache_note_lock(cache, cbn_cache_lock(&cache->own, cbn_cache_lock_of(&work->key->digest),
                                              cache->wait_limit_ms, &lock));
    cubinet_status status = CUBINET_OK;
    bool is_sweep_due = false;
    if (!look_in_own(cache, work->key, result)) {
        status = fetch_or_make(work, result);
        is_sweep_due = !status && cbn_cache_keep(cache, work->key, result->blob);
    }
    cbn_cache_unlock(&lock);
    if (is_sweep_due) {
        cbn_cache_evict(cache, work->key);
    }
    return status;
}

void cbn_cache_note_damage(cubinet_cache *cache, const struct cbn_cache_key *key, const char *what)
{
    if (!what) {
        return;
    }
    count(cache, &cache->stats.damaged);
    char name[CBN_CACHE_NAME_SIZE];
    cbn_log(&cache->log, CUBINET_LOG_WARNING, "the cache entry %s is damaged, so it is not used: %s",
            cbn_cache_entry_name(key, name), what);
}

static void note_result(cubinet_cache *cache, const struct cbn_cache_key *key, const struct result *result)
{
    pthread_mutex_lock(&cache->mutex);
    cache->stats.disk_hits += result->blob && result->source == CBN_CACHE_DISK;
    cache->stats.shared_hits += result->blob && result->source == CBN_CACHE_SHARED;
    pthread_mutex_unlock(&cache->mutex);
    cbn_cache_note_damage(cache, key, result->damage);
}

/* Beyond memory. */
static cubinet_status obtain_below(const struct work *work, struct result *result)
{
    cubinet_status status = CUBINET_OK;
    if (!look_on_disk(work->cache, work->key, result)) {
        status = make_alone(work, result);
    }
    note_result(work->cache, work->key, result);
    return status;
}

static bool is_pending(const cubinet_cache *cache, const struct cbn_cache_key *key)
{
    const struct cbn_cache_pending *pending = cache->pending;
    while (pending && !cbn_cache_key_equal(pending->key, key)) {
        pending = pending->next;
    }
    return pending != NULL;
}

/* With the mutex held: what memory has, after waiting for a thread that is after the same key. */
static struct cbn_blob *find_in_memory(cubinet_cache *cache, const struct cbn_cache_key *key)
{
    struct cbn_blob *blob = cbn_memory_find(&cache->memory, key);
    if (!blob && is_pending(cache, key)) {
        cache->stats.waits++;
        while (!blob && is_pending(cache, key)) {
            pthread_cond_wait(&cache->finished, &cache->mutex);
            blob = cbn_memory_find(&cache->memory, key);
        }
    }
    cache->stats.memory_hits += blob != NULL;
    return blob;
}

static void begin(cubinet_cache *cache, struct cbn_cache_pending *pending)
{
    pending->next = cache->pending;
    cache->pending = pending;
}

static void end(cubinet_cache *cache, struct cbn_cache_pending *pending, struct cbn_blob *blob)
{
    pthread_mutex_lock(&cache->mutex);
    if (blob) {
        cbn_memory_add(&cache->memory, pending->key, blob);
    }
    struct cbn_cache_pending **link = &cache->pending;
    while (*link != pending) {
        link = &(*link)->next;
    }
    *link = pending->next;
    pthread_cond_broadcast(&cache->finished);
    pthread_mutex_unlock(&cache->mutex);
}

static cubinet_status obtain(const struct work *work, struct result *result)
{
    cubinet_cache *cache = work->cache;
    struct cbn_cache_pending pending = {.key = work->key};
    pthread_mutex_lock(&cache->mutex);
    result->blob = find_in_memory(cache, work->key);
    result->source = CBN_CACHE_MEMORY;
    if (!result->blob) {
        begin(cache, &pending);
    }
    pthread_mutex_unlock(&cache->mutex);
    if (result->blob) {
        return CUBINET_OK;
    }
    cubinet_status status = obtain_below(work, result);
    end(cache, &pending, result->blob);
    return status;
}

cubinet_status cbn_cache_obtain(cubinet_cache *cache, const struct cbn_cache_key *key, cbn_cache_make_fn make,
                                void *user, enum cbn_cache_source *out_source, struct cbn_blob **out_blob)
{
    const struct work work = {.cache = cache, .key = key, .make = make, .user = user};
    struct result result = {.source = CBN_CACHE_MADE};
    cubinet_status status = cache ? obtain(&work, &result) : make_blob(make, user, &result.blob);
    if (status) {
        return status;
    }
    if (out_source) {
        *out_source = result.source;
    }
    *out_blob = result.blob;
    return CUBINET_OK;
}
