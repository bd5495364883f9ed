/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_sweep.h"

#include "loader/cache/cache_counters.h"
#include "loader/cache/cache_lock.h"
#include "loader/cache/cache_store.h"
#include "loader/core/support/directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    /* Seconds. A file that is being written is locked, but not from its first moment; and there may be no
     * locks. */
    TEMPORARY_AGE = 60,
    TEMPORARY_AGE_UNLOCKED = 3600,
    /* An entry from further in the future was stamped by a clock that was wrong, and would stay for ever. */
    FUTURE_TOLERANCE = 86400,
};

static int add(struct cbn_cache_listing *listing, size_t *capacity, const char *name, const struct stat *info)
{
    if (listing->count == *capacity) {
        size_t larger = *capacity ? 2 * *capacity : 64;
        struct cbn_cache_file *files = reallocarray(listing->files, larger, sizeof(*files));
        if (!files) {
            return ENOMEM;
        }
        listing->files = files;
        *capacity = larger;
    }
    struct cbn_cache_file *file = &listing->files[listing->count++];
    memcpy(file->name, name, strlen(name) + 1); /* which fits, being an entry's */
    file->size = (uint64_t)info->st_size;
    file->used = info->st_mtime > time(NULL) + FUTURE_TOLERANCE ? 0 : info->st_mtime;
    listing->bytes += file->size;
    return 0;
}

static bool is_temporary(const char *name)
{
    return strncmp(name, CBN_CACHE_TEMPORARY, strlen(CBN_CACHE_TEMPORARY)) == 0;
}

static int list_all(DIR *directory, struct cbn_cache_listing *listing)
{
    size_t capacity = 0;
    int error = 0;
    for (const struct dirent *found; error == 0 && (found = cbn_next_entry(directory));) {
        struct stat info;
        listing->temporaries += is_temporary(found->d_name);
        if (cbn_cache_entry_named(found->d_name) &&
            fstatat(dirfd(directory), found->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
            error = add(listing, &capacity, found->d_name, &info);
        }
    }
    return error ? error : errno;
}

/* A descriptor of its own, because reading a folder moves the descriptor's position. */
static DIR *open_listing(const struct cbn_cache_folder *folder)
{
    int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (!directory && fd >= 0) {
        close(fd);
    }
    return directory;
}

int cbn_cache_list(const struct cbn_cache_folder *folder, struct cbn_cache_listing *out_listing)
{
    DIR *directory = open_listing(folder);
    if (!directory) {
        return errno;
    }
    struct cbn_cache_listing listing = {0};
    int error = list_all(directory, &listing);
    closedir(directory);
    if (error) {
        cbn_cache_listing_free(&listing);
        return error;
    }
    *out_listing = listing;
    return 0;
}

void cbn_cache_listing_free(struct cbn_cache_listing *listing)
{
    free(listing->files);
    *listing = (struct cbn_cache_listing){0};
}

static bool is_abandoned(const struct cbn_cache_folder *folder, const char *name)
{
    int fd = openat(folder->fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    struct stat info;
    bool is_old = false;
    if (fstat(fd, &info) == 0) {
        time_t age = time(NULL) - info.st_mtime;
        is_old = age > TEMPORARY_AGE_UNLOCKED || (age > TEMPORARY_AGE && cbn_cache_lock_file(fd));
    }
    close(fd);
    return is_old;
}

static void remove_abandoned(const struct cbn_cache_folder *folder)
{
    DIR *directory = open_listing(folder);
    if (!directory) {
        return;
    }
    for (const struct dirent *found; (found = readdir(directory));) {
        if (is_temporary(found->d_name) && is_abandoned(folder, found->d_name)) {
            unlinkat(folder->fd, found->d_name, 0);
        }
    }
    closedir(directory);
}

static int older_first(const void *a, const void *b)
{
    const struct cbn_cache_file *first = a;
    const struct cbn_cache_file *second = b;
    return first->used < second->used ? -1 : first->used > second->used;
}

/* Processes that sweep at once remove the same files, the oldest; each file counts for the one that did. */
static int remove_file(const struct cbn_cache_folder *folder, const struct cbn_cache_file *file,
                       struct cbn_cache_swept *swept)
{
    if (unlinkat(folder->fd, file->name, 0) == 0) {
        swept->removed++;
        swept->removed_bytes += file->size;
    } else if (errno != ENOENT) {
        return errno;
    }
    swept->left--;
    swept->left_bytes -= file->size;
    return 0;
}

static int remove_oldest(const struct cbn_cache_folder *folder, struct cbn_cache_listing *listing,
                         uint64_t target, const char *keep, struct cbn_cache_swept *swept)
{
    int error = 0;
    if (listing->count) {
        qsort(listing->files, listing->count, sizeof(*listing->files), older_first);
    }
    for (size_t i = 0; i < listing->count && (swept->left_bytes > target || target == 0); i++) {
        if (!keep || strcmp(listing->files[i].name, keep) != 0) {
            int failed = remove_file(folder, &listing->files[i], swept);
            error = error ? error : failed;
        }
    }
    return error;
}

static int sweep(const struct cbn_cache_folder *folder, uint64_t limit, uint64_t target, const char *keep,
                 struct cbn_cache_swept *out_swept)
{
    struct cbn_cache_listing listing;
    int error = cbn_cache_list(folder, &listing);
    if (error) {
        return error;
    }
    if (listing.temporaries) {
        remove_abandoned(folder);
    }
    struct cbn_cache_swept swept = {.left = listing.count, .left_bytes = listing.bytes};
    if (listing.bytes > limit || limit == 0) {
        error = remove_oldest(folder, &listing, target, keep, &swept);
    }
    cbn_cache_listing_free(&listing);
    *out_swept = swept;
    return error;
}

/* What a sweep saw, and the bytes that had ever been written when it began. */
struct seen {
    const struct cbn_cache_swept *swept;
    uint64_t added_before;
};

/* What others wrote meanwhile may have been seen or not: it is counted, rather twice than not at all. */
static void count_sweep(void *user, struct cbn_cache_counters *counters)
{
    const struct seen *seen = user;
    uint64_t *values = counters->values;
    values[CBN_COUNT_SWEEPS]++;
    values[CBN_COUNT_STORES] = 0;
    values[CBN_COUNT_ENTRIES] = seen->swept->left;
    uint64_t added = values[CBN_COUNT_ADDED_BYTES];
    values[CBN_COUNT_BYTES] =
        seen->swept->left_bytes + (added > seen->added_before ? added - seen->added_before : 0);
}

int cbn_cache_sweep_and_count(const struct cbn_cache_folder *folder, uint64_t limit, uint64_t target,
                              const char *keep, struct cbn_cache_swept *out_swept)
{
    struct cbn_cache_counters before;
    cbn_cache_counters_read(folder, &before);
    uint64_t added_before = before.values[CBN_COUNT_ADDED_BYTES];
    int error = sweep(folder, limit, target, keep, out_swept);
    if (error == 0) {
        cbn_cache_counters_change(folder, count_sweep, &(struct seen){out_swept, added_before});
    }
    return error;
}
