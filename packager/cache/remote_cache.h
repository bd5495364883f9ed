/* SPDX-License-Identifier: Apache-2.0 */
/* A cache's layer on other machines, over HTTP: Bazel's remote-cache protocol (docs/reference/cache.md, "On
 * many machines"). An entry is a file of the server's content-addressed storage, and an ActionResult under
 * the digest of the key tells which.
 *
 * A server that is slow, down or wrong is a miss, and a warning on standard error, once for all processes of
 * a build; and left alone for a while. */
#ifndef REMOTE_CACHE_H
#define REMOTE_CACHE_H

#include "cache/remote_settings.h"
#include "loader/cache/cache_remote.h"

struct remote_cache;

/* Opens the layer that the settings describe, which it takes. Nothing is loaded or asked for before it is
 * used. `directory` is the folder of the cache that it will be a layer of, or "".
 * CUBINET_ERROR_OUT_OF_MEMORY. */
cubinet_status remote_cache_open(struct remote_settings *settings, const char *directory,
                                 struct remote_cache **out_cache);

/* After the last use of the cache that it is a layer of. NULL is allowed. */
void remote_cache_close(struct remote_cache *cache);

/* What struct cbn_cache_remote has. */
bool remote_cache_find(void *cache, const struct cbn_cache_key *key, void **out_entry, size_t *out_size);
void remote_cache_store(void *cache, const struct cbn_cache_key *key, const void *entry, size_t size);

/* Opens the layer that `option` and the environment name, and gives it to a cache; NULL if they name none, or
 * nothing that can be used, which is a warning. CUBINET_ERROR_OUT_OF_MEMORY. */
cubinet_status remote_cache_attach(cubinet_cache *cache, const char *option, bool verbose,
                                   struct remote_cache **out_cache);

#endif
