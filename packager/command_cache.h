/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of the commands that compile and link: its folders, and the layers that only commands have. */
#ifndef COMMAND_CACHE_H
#define COMMAND_CACHE_H

#include <cubinet/cache.h>

struct command_cache {
    cubinet_cache *cache;        /* NULL: there is none */
    struct remote_cache *remote; /* a layer of it on other machines; NULL: there is none */
};

/* Opens the cache in `directory`; NULL: the one that the environment names, which names the layer on other
 * machines in any case (docs/cache.md). What is wrong with it is a warning, and it is done without, unless
 * `flags` (of cubinet_cache_options) require it. The caller closes it. */
cubinet_status command_cache_open(const char *directory, uint32_t flags, struct command_cache *out_cache);

/* A zeroed one is allowed. */
void command_cache_close(struct command_cache *cache);

#endif
