/* SPDX-License-Identifier: Apache-2.0 */
/* Giving a cache its layer on other machines. */
#include "base/command.h"
#include "cache/remote_cache.h"
#include "cache/remote_stamps.h"

/* Once for all processes of a build, as any other trouble. */
static void warn_of_settings(const cubinet_cache *cache)
{
    struct remote_stamps stamps;
    remote_stamps_open(cubinet_cache_get_directory(cache), "settings", &stamps);
    if (remote_stamps_note(&stamps, REMOTE_STAMP_FIND)) {
        command_warning("there is no remote cache: %s", cubinet_error_message());
    }
    remote_stamps_close(&stamps);
}

cubinet_status remote_cache_attach(cubinet_cache *cache, const char *option, bool verbose,
                                   struct remote_cache **out_cache)
{
    struct remote_settings settings;
    struct remote_cache *remote = NULL;
    *out_cache = NULL;
    cubinet_status status = remote_settings_read(option, &settings);
    if (status == CUBINET_ERROR_INVALID_ARGUMENT) {
        warn_of_settings(cache);
        return CUBINET_OK;
    }
    if (status || !settings.url) {
        return status;
    }
    settings.verbose = verbose;
    status = remote_cache_open(&settings, cubinet_cache_get_directory(cache), &remote);
    if (!status) {
        const struct cbn_cache_remote layer = {remote_cache_find, remote_cache_store, remote};
        cbn_cache_set_remote(cache, &layer);
        *out_cache = remote;
    }
    return status;
}
