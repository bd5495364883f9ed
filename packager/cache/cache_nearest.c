/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/cache_nearest.h"

#include "cache/compile_cache_key.h"
#include "loader/cache/cache_entry.h"
#include "loader/cache/cache_sweep.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A manifest is small; what is larger is none. */
enum { MOST_ENTRY = 1 << 28 };

/* NULL bytes: it is gone by now, or something else has its name. */
static cubinet_status read_entry(const struct cbn_cache_folder *folder, const struct cbn_cache_file *file,
                                 unsigned char **out_bytes)
{
    *out_bytes = NULL;
    if (file->size > MOST_ENTRY) {
        return CUBINET_OK;
    }
    unsigned char *bytes = malloc((size_t)file->size + 1);
    if (!bytes) {
        return cbn_error_memory();
    }
    int fd = openat(folder->fd, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t size = fd >= 0 ? pread(fd, bytes, (size_t)file->size, 0) : -1;
    int error = size < 0 ? errno : 0;
    if (fd >= 0) {
        close(fd);
    }
    if (size == (ssize_t)file->size) {
        *out_bytes = bytes;
        return CUBINET_OK;
    }
    free(bytes);
    return error == 0 || error == ENOENT || error == ELOOP
               ? CUBINET_OK
               : cbn_error(CUBINET_ERROR_IO, "the cache's entry '%s' cannot be read: %s", file->name,
                           strerror(error));
}

static bool same_text(struct key_bytes a, struct key_bytes b, const char *name)
{
    size_t a_size = 0;
    size_t b_size = 0;
    const char *a_text = key_text(a, name, &a_size);
    const char *b_text = key_text(b, name, &b_size);
    return a_text && b_text && a_size == b_size && memcmp(a_text, b_text, a_size) == 0;
}

static bool is_nearer(const struct nearest_key *nearest, size_t differences, int64_t used)
{
    return !nearest->bytes || differences < nearest->differences ||
           (differences == nearest->differences && used > nearest->used);
}

static cubinet_status look_at(const struct cbn_cache_file *file, struct key_bytes kept,
                              struct key_bytes wanted, struct nearest_key *nearest)
{
    if (!same_text(kept, wanted, "source") && !same_text(kept, wanted, "contents of the source")) {
        return CUBINET_OK;
    }
    size_t differences = key_difference_count(wanted, kept);
    if (!is_nearer(nearest, differences, file->used)) {
        return CUBINET_OK;
    }
    unsigned char *copy = malloc(kept.size + 1);
    if (!copy) {
        return cbn_error_memory();
    }
    memcpy(copy, kept.bytes, kept.size);
    free(nearest->bytes);
    *nearest = (struct nearest_key){copy, kept.size, differences, file->used};
    return CUBINET_OK;
}

static cubinet_status look_into(const struct cbn_cache_folder *folder, const struct cbn_cache_file *file,
                                struct key_bytes wanted, struct nearest_key *nearest)
{
    struct cbn_cache_entry entry;
    unsigned char *bytes = NULL;
    if (strcmp(file->name + CBN_CACHE_DIGITS + 1, COMPILE_MANIFEST_KIND) != 0) {
        return CUBINET_OK;
    }
    cubinet_status status = read_entry(folder, file, &bytes);
    if (bytes && !cbn_cache_entry_read(bytes, (size_t)file->size, &entry)) {
        status = look_at(file, (struct key_bytes){entry.key, entry.key_size}, wanted, nearest);
    }
    free(bytes);
    return status;
}

cubinet_status cache_nearest_find(const cubinet_cache *cache, const struct cbn_cache_key *key,
                                  struct nearest_key *out_nearest)
{
    struct cbn_cache_listing listing = {0};
    struct nearest_key nearest = {0};
    int error = cbn_cache_folder_is_open(&cache->own) ? cbn_cache_list(&cache->own, &listing) : 0;
    if (error) {
        return cbn_error(CUBINET_ERROR_IO, "the cache folder '%s' cannot be read: %s",
                         cubinet_cache_get_directory(cache), strerror(error));
    }
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < listing.count; i++) {
        status =
            look_into(&cache->own, &listing.files[i], (struct key_bytes){key->bytes, key->size}, &nearest);
    }
    cbn_cache_listing_free(&listing);
    if (status) {
        free(nearest.bytes);
        return status;
    }
    *out_nearest = nearest;
    return CUBINET_OK;
}
