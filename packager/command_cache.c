/* SPDX-License-Identifier: Apache-2.0 */
#include "command_cache.h"

#include "command.h"

static void warn(void *user, cubinet_log_level level, const char *message)
{
    (void)user;
    if (level >= CUBINET_LOG_WARNING) {
        command_warning("%s", message);
    }
}

cubinet_status command_cache_open(const char *directory, uint32_t flags, struct command_cache *out_cache)
{
    const cubinet_cache_options options = {
        .size = sizeof(options),
        .directory = directory,
        .flags = flags,
        .log = warn,
    };
    struct command_cache cache = {0};
    cubinet_status status = cubinet_cache_open(&options, &cache.cache);
    if (status == CUBINET_OK) {
        *out_cache = cache;
    }
    return status;
}

void command_cache_close(struct command_cache *cache)
{
    cubinet_cache_close(cache->cache);
    *cache = (struct command_cache){0};
}
