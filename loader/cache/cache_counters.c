/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_counters.h"

#include "loader/cache/cache_lock.h"
#include "loader/core/archive/digest.h"
#include "loader/core/archive/format.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAGIC                                                                                                \
    "\x89"                                                                                                   \
    "CBNS\r\n\x1a"

enum {
    MAGIC_SIZE = 8,
    DIGEST = MAGIC_SIZE, /* of everything after it */
    VALUES = DIGEST + CBN_DIGEST_SIZE,
    FILE_SIZE = VALUES + 8 * CBN_COUNTERS,
    LONGEST_WAIT_MS = 200,
};

/* Above the bytes that stand for keys: see cbn_cache_lock_of(). */
#define LOCK_BYTE ((int64_t)1 << 62)

static int open_counters(const struct cbn_cache_folder *folder, int flags)
{
    int fd = openat(folder->fd, "counters", flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    struct stat about;
    if (fd >= 0 && (fstat(fd, &about) != 0 || !cbn_cache_folder_trusts(folder, &about))) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

static struct cbn_cache_counters read_counters(int fd)
{
    unsigned char bytes[FILE_SIZE];
    struct cbn_cache_counters counters = {{0}};
    if (pread(fd, bytes, FILE_SIZE, 0) != FILE_SIZE || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0 ||
        !cbn_digest_matches(bytes + VALUES, FILE_SIZE - VALUES, bytes + DIGEST)) {
        counters.values[CBN_COUNT_SINCE] = (uint64_t)time(NULL);
        return counters;
    }
    for (size_t i = 0; i < CBN_COUNTERS; i++) {
        counters.values[i] = cbn_get64(bytes + VALUES + 8 * i);
    }
    return counters;
}

static bool write_counters(int fd, const struct cbn_cache_counters *counters)
{
    unsigned char bytes[FILE_SIZE];
    for (size_t i = 0; i < CBN_COUNTERS; i++) {
        cbn_put64(bytes + VALUES + 8 * i, counters->values[i]);
    }
    struct cbn_digest digest = cbn_digest(bytes + VALUES, FILE_SIZE - VALUES);
    memcpy(bytes, MAGIC, MAGIC_SIZE);
    memcpy(bytes + DIGEST, digest.bytes, sizeof(digest.bytes));
    return pwrite(fd, bytes, FILE_SIZE, 0) == FILE_SIZE;
}

int cbn_cache_counters_read(const struct cbn_cache_folder *folder, struct cbn_cache_counters *out_counters)
{
    int fd = open_counters(folder, O_RDONLY);
    *out_counters = (struct cbn_cache_counters){{0}};
    if (fd < 0) {
        return errno == ENOENT ? 0 : errno;
    }
    errno = 0;
    *out_counters = read_counters(fd);
    int error = errno;
    close(fd);
    return error;
}

bool cbn_cache_counters_change(const struct cbn_cache_folder *folder, cbn_cache_change_fn change, void *user)
{
    struct cbn_cache_lock lock = {.fd = -1};
    if (cbn_cache_lock(folder, LOCK_BYTE, LONGEST_WAIT_MS, &lock) == CBN_CACHE_LOCK_BUSY) {
        return false;
    }
    int fd = open_counters(folder, O_RDWR | O_CREAT);
    bool changed = false;
    if (fd >= 0) {
        struct cbn_cache_counters counters = read_counters(fd);
        change(user, &counters);
        changed = write_counters(fd, &counters);
        close(fd);
    }
    cbn_cache_unlock(&lock);
    return changed;
}

static void add_one(void *user, struct cbn_cache_counters *counters)
{
    counters->values[*(const enum cbn_cache_counter *)user]++;
}

void cbn_cache_counters_add(const struct cbn_cache_folder *folder, enum cbn_cache_counter counter)
{
    cbn_cache_counters_change(folder, add_one, &counter);
}
