/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_store.h"

#include "loader/cache/cache_entry.h"
#include "loader/cache/cache_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TEMPORARY_SIZE = sizeof(CBN_CACHE_TEMPORARY) + 16, ATTEMPTS = 100 };

/* The folder says who may read: a cache that is filled to be shared must be readable. */
enum { MODE = 0644 };

/* A file on its way into the folder. It is locked for as long as it is open, so that tidying can tell it from
 * one that a killed process left. */
struct temporary {
    int fd;
    char name[TEMPORARY_SIZE]; /* "": none, and it is gone if this process is killed */
};

/* Makes a file of that name, or gives it to one that has none; -1 with errno. */
static int make_named(const struct cbn_cache_folder *folder, const struct temporary *file, const char *name)
{
    char path[32];
    if (file->fd < 0) {
        return openat(folder->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
    return linkat(AT_FDCWD, path, folder->fd, name, AT_SYMLINK_FOLLOW) == 0 ? file->fd : -1;
}

/* The name is random because hosts that share a folder share no process numbers. */
static bool name_temporary(const struct cbn_cache_folder *folder, struct temporary *file)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        char name[TEMPORARY_SIZE];
        uint64_t number;
        if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number)) {
            return false;
        }
        snprintf(name, sizeof(name), CBN_CACHE_TEMPORARY "%016" PRIx64, number);
        int fd = make_named(folder, file, name);
        if (fd >= 0) {
            file->fd = fd;
            memcpy(file->name, name, sizeof(name));
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

/* Without a name where the file system has such files, and one can be given to them later. */
static bool create_temporary(const struct cbn_cache_folder *folder, struct temporary *out_file)
{
    *out_file = (struct temporary){.fd = -1};
    if (access("/proc/self/fd", X_OK) == 0) {
        out_file->fd = openat(folder->fd, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, MODE);
    }
    if (out_file->fd < 0 && !name_temporary(folder, out_file)) {
        return false;
    }
    cbn_cache_lock_file(out_file->fd);
    return true;
}

/* Gives the file its name at once, or, since no call takes a name from another file, in two steps. */
static bool give_name(const struct cbn_cache_folder *folder, struct temporary *file, const char *name)
{
    if (!file->name[0]) {
        if (make_named(folder, file, name) >= 0) {
            return true;
        }
        if (errno != EEXIST || !name_temporary(folder, file)) {
            return false;
        }
    }
    return renameat(folder->fd, file->name, folder->fd, name) == 0;
}

/* Writing beyond the process's limit would raise SIGXFSZ, which ends programs that don't expect it. */
static bool within_file_limit(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

static bool write_all(int fd, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    while (size > 0) {
        ssize_t done = write(fd, next, size);
        if (done > 0) {
            next += done;
            size -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* An entry's two parts. */
struct parts {
    const unsigned char *head;
    size_t head_size;
    const struct cbn_blob *blob;
};

/* The name is given only to bytes that are on the disk, and the name itself is put there last. */
static bool write_and_name(const struct cbn_cache_folder *folder, struct temporary *file,
                           const struct parts *parts, const char *name)
{
    if (!write_all(file->fd, parts->head, parts->head_size) ||
        !write_all(file->fd, parts->blob->data, parts->blob->size) || fsync(file->fd) != 0 ||
        !give_name(folder, file, name)) {
        return false;
    }
    fsync(folder->fd); /* where folders can't be synced there is nothing to be done */
    return true;
}

static int publish(const struct cbn_cache_folder *folder, const char *name, const struct parts *parts)
{
    struct temporary file;
    if (!create_temporary(folder, &file)) {
        return errno;
    }
    int error = 0;
    if (!write_and_name(folder, &file, parts, name)) {
        error = errno;
        if (file.name[0]) {
            unlinkat(folder->fd, file.name, 0);
        }
    }
    close(file.fd);
    return error;
}

int cbn_cache_store(const struct cbn_cache_folder *folder, const struct cbn_cache_key *key,
                    const struct cbn_blob *blob, uint64_t limit, uint64_t *out_size)
{
    struct parts parts = {.blob = blob};
    unsigned char *head = cbn_cache_entry_head(key, blob->data, blob->size, &parts.head_size);
    if (!head) {
        return blob->size > limit ? EFBIG : ENOMEM;
    }
    parts.head = head;
    uint64_t size = (uint64_t)parts.head_size + blob->size;
    int error = EFBIG;
    if (size <= limit && within_file_limit(size)) {
        char name[CBN_CACHE_NAME_SIZE];
        error = publish(folder, cbn_cache_entry_name(key, name), &parts);
    }
    free(head);
    if (error == 0) {
        *out_size = size;
    }
    return error;
}
