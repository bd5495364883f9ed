/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_lock.h"

#include "loader/core/archive/format.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

/* Milliseconds between attempts: the first is short because most links are, the last bounds the delay. */
enum { FIRST_PAUSE = 1, LONGEST_PAUSE = 32 };

int64_t cbn_cache_lock_of(const struct cbn_digest *key)
{
    return (int64_t)(cbn_get64(key->bytes) >> 2);
}

/* 0, or errno. The whole file has length 0. Open file description locks: unlike the classic ones they hold
 * against the same process, and are not lost when something else in it closes the file. */
static int set_lock(int fd, short type, int64_t start, int64_t length)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    int result;
    do {
        result = fcntl(fd, F_OFD_SETLK, &range);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

static int try_lock(int fd, int64_t start, int64_t length)
{
    return set_lock(fd, F_WRLCK, start, length);
}

static bool is_busy(int error)
{
    return error == EAGAIN || error == EACCES;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits by asking again: a blocking request could not be given up. */
static enum cbn_cache_lock_result wait_for(int fd, int64_t byte, uint32_t limit_ms)
{
    int error = try_lock(fd, byte, 1);
    if (error == 0) {
        return CBN_CACHE_LOCKED;
    }
    int64_t end = now_ms() + limit_ms;
    for (long pause = FIRST_PAUSE; is_busy(error) && now_ms() < end; error = try_lock(fd, byte, 1)) {
        nanosleep(&(struct timespec){.tv_nsec = pause * 1000000}, NULL);
        pause = pause < LONGEST_PAUSE ? 2 * pause : pause;
    }
    if (error == 0) {
        return CBN_CACHE_LOCKED_LATE;
    }
    return is_busy(error) ? CBN_CACHE_LOCK_BUSY : CBN_CACHE_LOCK_NONE;
}

enum cbn_cache_lock_result cbn_cache_lock(const struct cbn_cache_folder *folder, int64_t byte,
                                          uint32_t limit_ms, struct cbn_cache_lock *out_lock)
{
    /* Opened each time: the lock belongs to the descriptor, and ends with it. */
    int fd = openat(folder->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) {
        return CBN_CACHE_LOCK_NONE;
    }
    enum cbn_cache_lock_result result = wait_for(fd, byte, limit_ms);
    if (result == CBN_CACHE_LOCKED || result == CBN_CACHE_LOCKED_LATE) {
        out_lock->fd = fd;
    } else {
        close(fd);
    }
    return result;
}

void cbn_cache_unlock(struct cbn_cache_lock *lock)
{
    if (lock->fd >= 0) {
        /* Not by closing alone: a child that this process forked meanwhile has the descriptor as well. */
        set_lock(lock->fd, F_UNLCK, 0, 0);
        close(lock->fd);
        lock->fd = -1;
    }
}

bool cbn_cache_lock_file(int fd)
{
    return !is_busy(try_lock(fd, 0, 0));
}
