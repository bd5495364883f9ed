/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a cache, and what it says of itself. */
#include "loader/cache/cache_settings.h"
#include "loader/cache/cache_state.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

#include <stdlib.h>

static cubinet_status open_own(cubinet_cache *cache, const struct cbn_cache_settings *settings,
                               uint32_t flags)
{
    bool is_required = flags & CUBINET_CACHE_REQUIRE_DIRECTORY;
    if (!settings->directory) {
        return !is_required
                   ? CUBINET_OK
                   : cbn_error(CUBINET_ERROR_NOT_FOUND,
                               "no cache folder is named: none is given, and neither CUBINET_CACHE_DIR "
                               "nor XDG_CACHE_HOME is set");
    }
    char *problem = NULL;
    cubinet_status status = cbn_cache_folder_open(
        settings->directory, flags & CUBINET_CACHE_NO_CREATE ? CBN_CACHE_FOLDER_OWN : CBN_CACHE_FOLDER_CREATE,
        &cache->own, &problem);
    if (status && is_required) {
        status = problem ? cbn_error(status, "%s", problem) : cbn_error_memory();
    } else if (status && !(status == CUBINET_ERROR_NOT_FOUND && flags & CUBINET_CACHE_NO_CREATE)) {
        cbn_log(&cache->log, CUBINET_LOG_WARNING, "%s; nothing is kept on disk",
                problem ? problem : "there is no memory to open the cache folder");
    }
    free(problem);
    return is_required ? status : CUBINET_OK;
}

static void open_shared(cubinet_cache *cache, const struct cbn_cache_settings *settings)
{
    char *problem = NULL;
    if (settings->shared_directory &&
        cbn_cache_folder_open(settings->shared_directory, CBN_CACHE_FOLDER_SHARED, &cache->shared,
                              &problem)) {
        cbn_log(&cache->log, CUBINET_LOG_WARNING, "%s; it is not read",
                problem ? problem : "there is no memory to open the shared cache folder");
        free(problem);
    }
}

static cubinet_status start(cubinet_cache *cache, const struct cbn_cache_settings *settings, uint32_t flags)
{
    cache->disk_limit = settings->disk_limit;
    cache->wait_limit_ms = settings->wait_limit_ms;
    cache->memory.limit = settings->memory_limit;
    if (settings->bad_limit) {
        cbn_log(&cache->log, CUBINET_LOG_WARNING,
                "CUBINET_CACHE_LIMIT is '%s', which is not a size such as 500M or 2G; using %llu bytes",
                settings->bad_limit, (unsigned long long)cache->disk_limit);
    }
    if (settings->bad_wait) {
        cbn_log(&cache->log, CUBINET_LOG_WARNING,
                "CUBINET_CACHE_WAIT is '%s', which is not a number of seconds such as 30; using %u s",
                settings->bad_wait, cache->wait_limit_ms / 1000);
    }
    open_shared(cache, settings);
    return open_own(cache, settings, flags);
}

static cubinet_cache *create(const cubinet_cache_options *options)
{
    cubinet_cache *cache = calloc(1, sizeof(*cache));
    if (!cache) {
        return NULL;
    }
    cache->own.fd = -1;
    cache->shared.fd = -1;
    cache->log = (struct cbn_log){.write = options->log, .user = options->log_user};
    pthread_mutex_init(&cache->mutex, NULL); /* with glibc, neither of the two fails */
    pthread_cond_init(&cache->finished, NULL);
    return cache;
}

cubinet_status cubinet_cache_open(const cubinet_cache_options *options, cubinet_cache **out_cache)
{
    cubinet_cache_options known;
    cubinet_status status = cbn_sized_read(options, "cubinet_cache_options", &known, sizeof(known));
    if (status) {
        return status;
    }
    if (!out_cache) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_cache_open: out_cache is NULL");
    }
    struct cbn_cache_settings settings;
    status = cbn_cache_settings_read(&known, &settings);
    if (status) {
        return status;
    }
    cubinet_cache *cache = create(&known);
    status = cache ? start(cache, &settings, known.flags) : cbn_error_memory();
    cbn_cache_settings_free(&settings);
    if (status) {
        cubinet_cache_close(cache);
        return status;
    }
    *out_cache = cache;
    return CUBINET_OK;
}

void cubinet_cache_close(cubinet_cache *cache)
{
    if (!cache) {
        return;
    }
    cbn_memory_clear(&cache->memory);
    cbn_cache_folder_close(&cache->own);
    cbn_cache_folder_close(&cache->shared);
    pthread_cond_destroy(&cache->finished);
    pthread_mutex_destroy(&cache->mutex);
    free(cache);
}

const char *cubinet_cache_get_directory(const cubinet_cache *cache)
{
    return cache && cbn_cache_folder_is_open(&cache->own) ? cache->own.path : "";
}

cubinet_status cubinet_cache_get_stats(const cubinet_cache *cache, cubinet_cache_stats *out_stats)
{
    if (!cache) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_cache_get_stats: cache is NULL");
    }
    pthread_mutex_t *mutex = (pthread_mutex_t *)&cache->mutex; /* being locked shows nowhere */
    pthread_mutex_lock(mutex);
    cubinet_cache_stats stats = cache->stats;
    stats.memory_entries = cache->memory.count;
    stats.memory_bytes = cache->memory.bytes;
    pthread_mutex_unlock(mutex);
    return cbn_sized_write(out_stats, "cubinet_cache_stats", &stats, sizeof(stats));
}
