/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of the commands that compile and link: its folders, and the layers that only commands have. */
#ifndef COMMAND_CACHE_H
#define COMMAND_CACHE_H

#include <cubinet/cache.h>

#include <stdbool.h>

struct command_cache {
    cubinet_cache *cache;        /* NULL: there is none */
    struct remote_cache *remote; /* a layer of it on other machines; NULL: there is none */
};

/* What arguments say of it. */
struct command_cache_request {
    const char *directory; /* NULL: what the environment names (docs/reference/cache.md) */
    const char *remote;    /* the address of the layer on other machines; NULL: as above; "": none */
    uint32_t flags;        /* of cubinet_cache_options */
    bool verbose;          /* tell what other machines are asked */
};

/* Opens the cache. What is wrong with it is a warning, and it is done without, unless the flags require it.
 * The caller closes it. */
cubinet_status command_cache_open(const struct command_cache_request *request,
                                  struct command_cache *out_cache);

/* A zeroed one is allowed. */
void command_cache_close(struct command_cache *cache);

#endif
