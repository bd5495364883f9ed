/* SPDX-License-Identifier: Apache-2.0 */
/* Locks between processes, and between caches of one process: bytes of the folder's file `lock`. The kernel
 * lets go of a lock when its holder ends, however it ends, and no lock leaves anything behind.
 *
 * A lock saves work; nothing that is read or written depends on it. Where there are none, as on some network
 * file systems, the same work is done more than once. */
#ifndef CBN_CACHE_LOCK_H
#define CBN_CACHE_LOCK_H

#include "loader/cache/cache_folder.h"
#include "loader/core/archive/digest.h"

#include <stdint.h>

struct cbn_cache_lock {
    int fd; /* -1: not held */
};

enum cbn_cache_lock_result {
    CBN_CACHE_LOCKED,
    CBN_CACHE_LOCKED_LATE, /* after another holder let go of it */
    CBN_CACHE_LOCK_BUSY,   /* another holder had it to the end of the wait */
    CBN_CACHE_LOCK_NONE,   /* there are no locks here */
};

/* The byte that stands for a key. */
int64_t cbn_cache_lock_of(const struct cbn_digest *key);

enum cbn_cache_lock_result cbn_cache_lock(const struct cbn_cache_folder *folder, int64_t byte,
                                          uint32_t limit_ms, struct cbn_cache_lock *out_lock);
void cbn_cache_unlock(struct cbn_cache_lock *lock);

/* Locks the whole of an open file, until its descriptor is closed; false if it is locked already. Where there
 * are no locks it is true. */
bool cbn_cache_lock_file(int fd);

#endif
