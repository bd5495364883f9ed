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
    DIGEST = MAGIC_SIZE, /* of the values up to the next one */
    VALUES = DIGEST + CBN_DIGEST_SIZE,
    /* What came later has a digest of its own: earlier releases use the same folder, and leave it alone. */
    CODE_DIGEST = VALUES + 8 * CBN_COUNTERS_BEFORE_CODE,
    CODE_VALUES = CODE_DIGEST + CBN_DIGEST_SIZE,
    CODE_COUNTERS = CBN_COUNTERS - CBN_COUNTERS_BEFORE_CODE,
    FILE_SIZE = CODE_VALUES + 8 * CODE_COUNTERS,
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

static void read_values(const unsigned char *bytes, size_t count, uint64_t *values)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = cbn_get64(bytes + 8 * i);
    }
}

static struct cbn_cache_counters read_counters(int fd)
{
    unsigned char bytes[FILE_SIZE];
    struct cbn_cache_counters counters = {{0}};
    ssize_t size = pread(fd, bytes, FILE_SIZE, 0);
    if (size < CODE_DIGEST || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0 ||
        !cbn_digest_matches(bytes + VALUES, CODE_DIGEST - VALUES, bytes + DIGEST)) {
        counters.values[CBN_COUNT_SINCE] = (uint64_t)time(NULL);
        return counters;
    }
    read_values(bytes + VALUES, CBN_COUNTERS_BEFORE_CODE, counters.values);
    if (size == FILE_SIZE &&
        cbn_digest_matches(bytes + CODE_VALUES, FILE_SIZE - CODE_VALUES, bytes + CODE_DIGEST)) {
        read_values(bytes + CODE_VALUES, CODE_COUNTERS, counters.values + CBN_COUNTERS_BEFORE_CODE);
    }
    return counters;
}

/* Writes values with their digest in front. */
static void put_values(unsigned char *bytes, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cbn_put64(bytes + CBN_DIGEST_SIZE + 8 * i, values[i]);
    }
    struct cbn_digest digest = cbn_digest(bytes + CBN_DIGEST_SIZE, 8 * count);
    memcpy(bytes, digest.bytes, sizeof(digest.bytes));
}

static bool write_counters(int fd, const struct cbn_cache_counters *counters)
{
    unsigned char bytes[FILE_SIZE];
    memcpy(bytes, MAGIC, MAGIC_SIZE);
    put_values(bytes + DIGEST, counters->values, CBN_COUNTERS_BEFORE_CODE);
    put_values(bytes + CODE_DIGEST, counters->values + CBN_COUNTERS_BEFORE_CODE, CODE_COUNTERS);
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
