/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/default_cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* around the rest */
static cubinet_cache *opened;
static bool was_opened; /* or can't be */
static size_t users;

cubinet_cache *cbn_default_cache_take(void)
{
    pthread_mutex_lock(&lock);
    if (!was_opened) {
        was_opened = true;
        cubinet_cache_open(NULL, &opened);
    }
    cubinet_cache *cache = opened;
    users += cache != NULL;
    pthread_mutex_unlock(&lock);
    return cache;
}

void cbn_default_cache_give_back(cubinet_cache *cache)
{
    if (cache) {
        pthread_mutex_lock(&lock);
        users--;
        pthread_mutex_unlock(&lock);
    }
}

/* A plugin that is closed leaves no descriptors and no memory behind. When a process ends, other threads may
 * still link: then it is left to the system, as after a fork() that left the lock taken. 101: after those of
 * a plugin's own objects. */
__attribute__((destructor(101))) static void close_unused(void)
{
    if (pthread_mutex_trylock(&lock) == 0) {
        if (users == 0) {
            cubinet_cache_close(opened);
            opened = NULL;
        }
        pthread_mutex_unlock(&lock);
    }
}
