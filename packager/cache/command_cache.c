/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/command_cache.h"

#include "base/command.h"
#include "cache/remote_cache.h"

static void warn(void *user, cubinet_log_level level, const char *message)
{
    (void)user;
    if (level == CUBINET_LOG_WARNING) {
        command_warning("%s", message);
    }
}

cubinet_status command_cache_open(const struct command_cache_request *request,
                                  struct command_cache *out_cache)
{
    const cubinet_cache_options options = {
        .size = sizeof(options),
        .directory = request->directory,
        .flags = request->flags,
        .log = warn,
    };
    struct command_cache cache = {0};
    cubinet_status status = cubinet_cache_open(&options, &cache.cache);
    if (!status) {
        status = remote_cache_attach(cache.cache, request->remote, request->verbose, &cache.remote);
    }
    if (status) {
        command_cache_close(&cache);
        return status;
    }
    *out_cache = cache;
    return CUBINET_OK;
}

void command_cache_close(struct command_cache *cache)
{
    cubinet_cache_close(cache->cache);
    remote_cache_close(cache->remote);
    *cache = (struct command_cache){0};
}
