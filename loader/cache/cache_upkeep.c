/* SPDX-License-Identifier: Apache-2.0 */
/* Looking after a cache's folder: how much it holds, and removing what is too much, damaged, or all. */
#include "loader/cache/cache_load.h"
#include "loader/cache/cache_state.h"
#include "loader/cache/cache_sweep.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static cubinet_status check_folder(const cubinet_cache *cache, const char *function)
{
    if (!cache) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: cache is NULL", function);
    }
    if (!cbn_cache_folder_is_open(&cache->own)) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "%s: the cache has no folder; CUBINET_CACHE_DIR names one",
                         function);
    }
    return CUBINET_OK;
}

static cubinet_status failed(const cubinet_cache *cache, int error)
{
    if (error == ENOMEM) {
        return cbn_error_memory();
    }
    return cbn_error(CUBINET_ERROR_IO, "the cache folder '%s' cannot be tidied: %s", cache->own.path,
                     strerror(error));
}

static cubinet_status write_removed(const struct cbn_cache_swept *swept, cubinet_cache_removed *out_removed)
{
    const cubinet_cache_removed removed = {.entries = swept->removed,
                                           .bytes = swept->removed_bytes,
                                           .left_entries = swept->left,
                                           .left_bytes = swept->left_bytes};
    return out_removed ? cbn_sized_write(out_removed, "cubinet_cache_removed", &removed, sizeof(removed))
                       : CUBINET_OK;
}

cubinet_status cubinet_cache_get_usage(const cubinet_cache *cache, cubinet_cache_usage *out_usage)
{
    cubinet_status status = check_folder(cache, "cubinet_cache_get_usage");
    if (status) {
        return status;
    }
    struct cbn_cache_listing listing;
    int error = cbn_cache_list(&cache->own, &listing);
    if (error) {
        return failed(cache, error);
    }
    cubinet_cache_usage usage = {
        .entries = listing.count, .bytes = listing.bytes, .limit_bytes = cache->disk_limit};
    for (size_t i = 0; i < listing.count; i++) {
        int64_t used = listing.files[i].used;
        usage.oldest_use = i == 0 || used < usage.oldest_use ? used : usage.oldest_use;
        usage.newest_use = used > usage.newest_use ? used : usage.newest_use;
    }
    cbn_cache_listing_free(&listing);
    return cbn_sized_write(out_usage, "cubinet_cache_usage", &usage, sizeof(usage));
}

static cubinet_status sweep_to(cubinet_cache *cache, uint64_t limit, cubinet_cache_removed *out_removed)
{
    struct cbn_cache_swept swept;
    int error = cbn_cache_sweep_and_count(&cache->own, limit, limit, NULL, &swept);
    return error ? failed(cache, error) : write_removed(&swept, out_removed);
}

cubinet_status cubinet_cache_trim(cubinet_cache *cache, uint64_t limit_bytes,
                                  cubinet_cache_removed *out_removed)
{
    cubinet_status status = check_folder(cache, "cubinet_cache_trim");
    return status ? status : sweep_to(cache, limit_bytes ? limit_bytes : cache->disk_limit, out_removed);
}

cubinet_status cubinet_cache_clear(cubinet_cache *cache, cubinet_cache_removed *out_removed)
{
    cubinet_status status = check_folder(cache, "cubinet_cache_clear");
    if (status) {
        return status;
    }
    pthread_mutex_lock(&cache->mutex);
    cbn_memory_clear(&cache->memory);
    pthread_mutex_unlock(&cache->mutex);
    return sweep_to(cache, 0, out_removed);
}

/* Removes an entry that is damaged, unless another process has already put a sound one in its place. */
static void remove_damaged(const cubinet_cache *cache, const struct cbn_cache_file *file,
                           struct cbn_cache_swept *swept)
{
    if (unlinkat(cache->own.fd, file->name, 0) == 0) {
        swept->removed++;
        swept->removed_bytes += file->size;
        swept->left--;
        swept->left_bytes -= file->size;
    }
}

cubinet_status cubinet_cache_verify(cubinet_cache *cache, cubinet_cache_damage_fn damaged, void *user,
                                    cubinet_cache_removed *out_removed)
{
    cubinet_status status = check_folder(cache, "cubinet_cache_verify");
    if (status) {
        return status;
    }
    struct cbn_cache_listing listing;
    int error = cbn_cache_list(&cache->own, &listing);
    if (error) {
        return failed(cache, error);
    }
    struct cbn_cache_swept swept = {.left = listing.count, .left_bytes = listing.bytes};
    for (size_t i = 0; i < listing.count; i++) {
        const char *what = cbn_cache_check(&cache->own, listing.files[i].name);
        if (what && damaged) {
            damaged(user, listing.files[i].name, what);
        }
        if (what) {
            remove_damaged(cache, &listing.files[i], &swept);
        }
    }
    cbn_cache_listing_free(&listing);
    return write_removed(&swept, out_removed);
}
