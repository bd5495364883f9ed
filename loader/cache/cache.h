/* SPDX-License-Identifier: Apache-2.0 */
/* A cache as the rest of the library uses it: bytes by key, made when they are in no layer. It knows nothing
 * of what the bytes are. */
#ifndef CBN_CACHE_H
#define CBN_CACHE_H

#include "loader/cache/cache_blob.h"
#include "loader/cache/cache_key.h"

#include <cubinet/cache.h>

enum cbn_cache_source {
    CBN_CACHE_MADE,
    CBN_CACHE_MEMORY,
    CBN_CACHE_DISK,
    CBN_CACHE_SHARED,
    CBN_CACHE_REMOTE,
};

/* Makes what a key stands for. On success `*out_data` is memory from malloc(), which the cache frees. On
 * failure the status and the thread's message go to who asked.
 *
 * May run for minutes, during which callers with the same key wait. Must not ask the same cache for another
 * key, unless all keys are always asked for in the same order. */
typedef cubinet_status (*cbn_cache_make_fn)(void *user, void **out_data, size_t *out_size);

/* What the key stands for: from memory, the folder, the shared folder or other machines, or else from make(),
 * which is called in this thread, at most once, and while no other thread or process makes the same.
 *
 * `cache` may be NULL: then it is made. out_source may be NULL. out_blob is for the caller to release.
 * Fails only as make() does, or with CUBINET_ERROR_OUT_OF_MEMORY; trouble with folders is logged and counted,
 * and leaves the thread's message alone. */
cubinet_status cbn_cache_obtain(cubinet_cache *cache, const struct cbn_cache_key *key, cbn_cache_make_fn make,
                                void *user, enum cbn_cache_source *out_source, struct cbn_blob **out_blob);

#endif
