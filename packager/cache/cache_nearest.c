/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/cache_nearest.h"

#include "cache/compile_cache_key.h"
#include "loader/cache/cache_entry.h"
#include "loader/cache/cache_sweep.h"
#include "loader/core/support/error.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A manifest is small; what is larger is none. */
enum { MOST_ENTRY = 1 << 28 };

static bool read_entry(const struct cbn_cache_folder *folder, const struct cbn_cache_file *file,
                       unsigned char **out_bytes)
{
    int fd = openat(folder->fd, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || file->size > MOST_ENTRY) {
        return false;
    }
    unsigned char *bytes = malloc((size_t)file->size + 1);
    bool is_read = bytes && pread(fd, bytes, (size_t)file->size, 0) == (ssize_t)file->size;
    close(fd);
    if (!is_read) {
        free(bytes);
        return false;
    }
    *out_bytes = bytes;
    return true;
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

static void look_at(const struct cbn_cache_file *file, struct key_bytes kept, struct key_bytes wanted,
                    struct nearest_key *nearest)
{
    if (!same_text(kept, wanted, "source") && !same_text(kept, wanted, "contents of the source")) {
        return;
    }
    size_t differences = key_difference_count(wanted, kept);
    unsigned char *copy = is_nearer(nearest, differences, file->used) ? malloc(kept.size + 1) : NULL;
    if (copy) {
        memcpy(copy, kept.bytes, kept.size);
        free(nearest->bytes);
        *nearest = (struct nearest_key){copy, kept.size, differences, file->used};
    }
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
    for (size_t i = 0; i < listing.count; i++) {
        const struct cbn_cache_file *file = &listing.files[i];
        struct cbn_cache_entry entry;
        unsigned char *bytes = NULL;
        if (strcmp(file->name + CBN_CACHE_DIGITS + 1, COMPILE_MANIFEST_KIND) == 0 &&
            read_entry(&cache->own, file, &bytes) &&
            !cbn_cache_entry_read(bytes, (size_t)file->size, &entry)) {
            look_at(file, (struct key_bytes){entry.key, entry.key_size},
                    (struct key_bytes){key->bytes, key->size}, &nearest);
        }
        free(bytes);
    }
    cbn_cache_listing_free(&listing);
    *out_nearest = nearest;
    return CUBINET_OK;
}
