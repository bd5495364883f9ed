/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an entry from a folder. */
#ifndef CBN_CACHE_LOAD_H
#define CBN_CACHE_LOAD_H

#include "loader/cache/cache_blob.h"
#include "loader/cache/cache_folder.h"
#include "loader/cache/cache_key.h"

struct cbn_cache_loaded {
    struct cbn_blob *blob; /* NULL: there is none */
    const char *damage;    /* what is wrong with the file, or NULL */
};

/* Reads the key's entry. A file that is not a sound entry counts as none. */
struct cbn_cache_loaded cbn_cache_load(const struct cbn_cache_folder *folder,
                                       const struct cbn_cache_key *key);

/* As cbn_cache_load(), from one's own folder, and notes that the entry was used. */
struct cbn_cache_loaded cbn_cache_load_used(const struct cbn_cache_folder *folder,
                                            const struct cbn_cache_key *key);

/* The payload of an entry's bytes from malloc(), which it takes, if they are a sound entry of that key. */
struct cbn_cache_loaded cbn_cache_take(void *bytes, size_t size, const struct cbn_cache_key *key);

/* What is wrong with the file of that name, as an entry; NULL: nothing, or it is not there any more. */
const char *cbn_cache_check(const struct cbn_cache_folder *folder, const char *name);

#endif
