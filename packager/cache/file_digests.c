/* SPDX-License-Identifier: Apache-2.0 */
/* The table is a file of buckets, each of a few slots, and a slot is one file. It is read and written by
 * pread() and pwrite(): through a mapping, a full disk or a truncated file would end the process. A slot
 * digests itself, so one that two processes wrote at once, or that is damaged, is an empty one. */
#include "cache/file_digests.h"

#include "loader/core/archive/digest.h"
#include "loader/core/archive/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a file is known by. */
struct identity {
    unsigned char bytes[5 * 8];
};

enum {
    /* Offsets in a slot. */
    SLOT_IDENTITY = 0,
    SLOT_DIGEST = SLOT_IDENTITY + sizeof(struct identity),
    SLOT_WRITTEN = SLOT_DIGEST + CBN_SHA256_SIZE, /* seconds since 1970 */
    SLOT_CHECK = SLOT_WRITTEN + 8,                /* finds damage in everything before it */
    SLOT_SIZE = SLOT_CHECK + CBN_DIGEST_SIZE,

    SLOTS = 8, /* in a bucket */
    BUCKET_SIZE = SLOTS * SLOT_SIZE,
    BUCKETS = 16384, /* 131,072 files in 12 MiB, of which only what is written takes space */

    /* Seconds: twice the step of the coarsest clock that a file system has. */
    YOUNGEST = 4,
};

struct bucket {
    struct identity identity; /* of the file that is looked for */
    off_t offset;
    unsigned char bytes[BUCKET_SIZE];
};

static int64_t nanoseconds(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct identity identity_of(const struct stat *about)
{
    struct identity identity;
    cbn_put64(identity.bytes, (uint64_t)about->st_dev);
    cbn_put64(identity.bytes + 8, (uint64_t)about->st_ino);
    cbn_put64(identity.bytes + 16, (uint64_t)about->st_size);
    cbn_put64(identity.bytes + 24, (uint64_t)nanoseconds(about->st_mtim));
    cbn_put64(identity.bytes + 32, (uint64_t)nanoseconds(about->st_ctim));
    return identity;
}

struct cbn_file_digests cbn_file_digests_open(const struct cbn_cache_folder *folder)
{
    struct cbn_file_digests digests = {.fd = -1};
    struct stat about;
    if (folder->fd < 0) {
        return digests;
    }
    digests.fd = openat(folder->fd, "files", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (digests.fd >= 0 && (fstat(digests.fd, &about) != 0 || !cbn_cache_folder_trusts(folder, &about))) {
        cbn_file_digests_close(&digests);
    }
    return digests;
}

void cbn_file_digests_close(struct cbn_file_digests *digests)
{
    if (digests->fd >= 0) {
        close(digests->fd);
        digests->fd = -1;
    }
}

static void read_bucket(const struct cbn_file_digests *digests, const struct stat *about,
                        struct bucket *bucket)
{
    bucket->identity = identity_of(about);
    struct cbn_digest place = cbn_digest(bucket->identity.bytes, sizeof(bucket->identity.bytes));
    bucket->offset = (off_t)(cbn_get64(place.bytes) % BUCKETS) * BUCKET_SIZE;
    ssize_t got = pread(digests->fd, bucket->bytes, BUCKET_SIZE, bucket->offset);
    size_t known = got > 0 ? (size_t)got : 0;
    memset(bucket->bytes + known, 0, BUCKET_SIZE - known);
}

static bool is_sound(const unsigned char *slot)
{
    return cbn_digest_matches(slot, SLOT_CHECK, slot + SLOT_CHECK);
}

/* The slot of the bucket's file, or NULL. */
static const unsigned char *find_slot(const struct bucket *bucket)
{
    for (size_t i = 0; i < SLOTS; i++) {
        const unsigned char *slot = bucket->bytes + i * SLOT_SIZE;
        if (memcmp(slot + SLOT_IDENTITY, &bucket->identity, sizeof(bucket->identity)) == 0 &&
            is_sound(slot)) {
            return slot;
        }
    }
    return NULL;
}

/* The place in the bucket that was written first: an empty one if there is any, or one that is damaged or of
 * another version. */
static size_t oldest_slot(const struct bucket *bucket)
{
    size_t oldest = 0;
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < SLOTS; i++) {
        const unsigned char *slot = bucket->bytes + i * SLOT_SIZE;
        uint64_t written = is_sound(slot) ? cbn_get64(slot + SLOT_WRITTEN) : 0;
        if (written < first) {
            first = written;
            oldest = i;
        }
    }
    return oldest;
}

/* A slot that can't be written is one file that is read again. */
static void write_slot(const struct cbn_file_digests *digests, const struct bucket *bucket, time_t now,
                       const struct cbn_sha256 *digest)
{
    unsigned char slot[SLOT_SIZE] = {0};
    memcpy(slot + SLOT_IDENTITY, &bucket->identity, sizeof(bucket->identity));
    memcpy(slot + SLOT_DIGEST, digest->bytes, sizeof(digest->bytes));
    cbn_put64(slot + SLOT_WRITTEN, (uint64_t)now);
    struct cbn_digest check = cbn_digest(slot, SLOT_CHECK);
    memcpy(slot + SLOT_CHECK, check.bytes, CBN_DIGEST_SIZE);
    off_t offset = bucket->offset + (off_t)oldest_slot(bucket) * SLOT_SIZE;
    if (pwrite(digests->fd, slot, SLOT_SIZE, offset) < 0) {
        return;
    }
}

/* Reads a file's bytes and one more; false if there are not as many as there were. */
static bool read_whole(int fd, unsigned char *bytes, size_t size)
{
    size_t done = 0;
    while (done <= size) {
        ssize_t got = read(fd, bytes + done, size + 1 - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0 && done == size;
        }
        done += (size_t)got;
    }
    return false;
}

static bool digest_open(int fd, size_t size, struct cbn_sha256 *out_digest)
{
    unsigned char *bytes = malloc(size + 1);
    bool is_read = bytes && read_whole(fd, bytes, size);
    if (is_read) {
        *out_digest = cbn_sha256(bytes, size);
    }
    free(bytes);
    return is_read;
}

/* Reads a file that is the same before and after. */
static bool digest_file(const char *path, struct stat *about, struct cbn_sha256 *out_digest)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    struct stat after;
    bool is_read = fstat(fd, about) == 0 && S_ISREG(about->st_mode) &&
                   digest_open(fd, (size_t)about->st_size, out_digest) && fstat(fd, &after) == 0 &&
                   nanoseconds(after.st_ctim) == nanoseconds(about->st_ctim);
    close(fd);
    return is_read;
}

/* Whether a file could not have been changed since without its time showing it. */
static bool is_settled(const struct stat *about, time_t now)
{
    return about->st_mtim.tv_sec < now - YOUNGEST && about->st_ctim.tv_sec < now - YOUNGEST;
}

bool cbn_file_digest(const struct cbn_file_digests *digests, const char *path, struct stat *about,
                     struct cbn_sha256 *out_digest)
{
    struct bucket bucket;
    const unsigned char *slot = NULL;
    if (digests->fd >= 0) {
        read_bucket(digests, about, &bucket);
        slot = find_slot(&bucket);
    }
    if (slot) {
        memcpy(out_digest->bytes, slot + SLOT_DIGEST, sizeof(out_digest->bytes));
        return true;
    }
    time_t now = time(NULL); /* before it is read */
    if (!digest_file(path, about, out_digest)) {
        return false;
    }
    if (digests->fd >= 0 && is_settled(about, now)) {
        read_bucket(digests, about, &bucket);
        write_slot(digests, &bucket, now, out_digest);
    }
    return true;
}
