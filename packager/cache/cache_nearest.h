/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest in a cache's folder whose key is most like another one. */
#ifndef CACHE_NEAREST_H
#define CACHE_NEAREST_H

#include "cache/key_difference.h"
#include "loader/cache/cache_key.h"
#include "loader/cache/cache_state.h"

struct nearest_key {
    unsigned char *bytes; /* NULL: there is none */
    size_t size;
    size_t differences;
    int64_t used; /* seconds since 1970 */
};

/* Looks among the manifests of compiles of the same source, by its path or its contents; of those that are
 * equally near, it is the one that was used last. The caller frees the bytes. */
cubinet_status cache_nearest_find(const cubinet_cache *cache, const struct cbn_cache_key *key,
                                  struct nearest_key *out_nearest);

#endif
