/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_store.h"

#include "cache_entry.h"
#include "cache_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TEMPORARY_SIZE = sizeof(CBN_CACHE_TEMPORARY) + 16, ATTEMPTS = 100 };

/* Creates a temporary file, locked for as long as it is open, so that tidying can tell it from one that a
 * killed process left. The name is random because hosts that share a folder share no process numbers. */
static int create_temporary(const struct cbn_cache_folder *folder, char name[TEMPORARY_SIZE])
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        uint64_t number;
        if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number)) {
            return -1;
        }
        snprintf(name, TEMPORARY_SIZE, CBN_CACHE_TEMPORARY "%016" PRIx64, number);
        /* The folder says who may read: a cache that is filled to be shared must be readable. */
        int fd = openat(folder->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd >= 0) {
            cbn_cache_lock_file(fd);
            return fd;
        }
        if (errno != EEXIST) {
            return -1;
        }
    }
    return -1;
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
static bool write_and_rename(const struct cbn_cache_folder *folder, int fd, const struct parts *parts,
                             const char *temporary, const char *name)
{
    if (!write_all(fd, parts->head, parts->head_size) ||
        !write_all(fd, parts->blob->data, parts->blob->size) || fsync(fd) != 0 ||
        renameat(folder->fd, temporary, folder->fd, name) != 0) {
        return false;
    }
    fsync(folder->fd); /* where folders can't be synced there is nothing to be done */
    return true;
}

static int publish(const struct cbn_cache_folder *folder, const char *name, const struct parts *parts)
{
    char temporary[TEMPORARY_SIZE];
    int fd = create_temporary(folder, temporary);
    if (fd < 0) {
        return errno;
    }
    int error = 0;
    if (!write_and_rename(folder, fd, parts, temporary, name)) {
        error = errno;
        unlinkat(folder->fd, temporary, 0);
    }
    close(fd);
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
