/* SPDX-License-Identifier: Apache-2.0 */
/* What an open cache consists of. */
#ifndef CBN_CACHE_STATE_H
#define CBN_CACHE_STATE_H

#include "loader/cache/cache.h"
#include "loader/cache/cache_folder.h"
#include "loader/cache/cache_load.h"
#include "loader/cache/cache_lock.h"
#include "loader/cache/cache_memory.h"
#include "loader/cache/cache_remote.h"
#include "loader/core/support/log.h"

#include <pthread.h>
#include <stdbool.h>

/* A key that a thread of this cache is looking for on disk, or making. Lives on that thread's stack. */
struct cbn_cache_pending {
    const struct cbn_cache_key *key;
    struct cbn_cache_pending *next;
};

struct cubinet_cache {
    /* These never change. */
    struct cbn_cache_folder own; /* fd -1: there is none */
    struct cbn_cache_folder shared;
    uint64_t disk_limit;
    uint32_t wait_limit_ms;
    struct cbn_log log;
    struct cbn_cache_remote remote; /* find NULL: there is none */

    /* The rest is for one thread at a time. */
    pthread_mutex_t mutex;
    pthread_cond_t finished; /* a pending key is not pending any more */
    struct cbn_cache_pending *pending;
    struct cbn_cache_memory memory;
    cubinet_cache_stats stats;
    bool told_store_failure; /* the log knows that writing fails; telling it once will do */
    bool told_wait;          /* likewise, that a process was not waited for any longer */
};

static inline bool cbn_cache_folder_is_open(const struct cbn_cache_folder *folder)
{
    return folder->fd >= 0;
}

/* An entry from the layer on other machines, if there is one, looked at as any other file. */
struct cbn_cache_loaded cbn_cache_fetch(cubinet_cache *cache, const struct cbn_cache_key *key);

/* Hands an entry to that layer. */
void cbn_cache_send(cubinet_cache *cache, const struct cbn_cache_key *key, const struct cbn_blob *blob);

/* Counts and logs an entry that was found damaged; `what` NULL: it was not. */
void cbn_cache_note_damage(cubinet_cache *cache, const struct cbn_cache_key *key, const char *what);

/* Counts and logs how a lock was come by. */
void cbn_cache_note_lock(cubinet_cache *cache, enum cbn_cache_lock_result result);

/* Writes a result into the cache's own folder. Whether cbn_cache_evict() is due. */
bool cbn_cache_keep(cubinet_cache *cache, const struct cbn_cache_key *key, const struct cbn_blob *blob);

/* Brings the folder back within its limit, if it is beyond it. */
void cbn_cache_evict(cubinet_cache *cache, const struct cbn_cache_key *just_stored);

#endif
