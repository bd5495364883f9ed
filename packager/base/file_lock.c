/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file_lock.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

/* Milliseconds between attempts: a blocking request could not be given up without a signal. */
enum { FIRST_PAUSE = 1, LONGEST_PAUSE = 32 };

enum file_lock_result file_lock(int fd, uint32_t limit_ms)
{
    uint32_t waited = 0;
    uint32_t pause = FIRST_PAUSE;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return FILE_LOCK_NONE;
        }
        if (waited >= limit_ms) {
            return FILE_LOCK_BUSY;
        }
        nanosleep(&(struct timespec){.tv_nsec = (long)pause * 1000000}, NULL);
        waited += pause;
        pause = pause < LONGEST_PAUSE ? 2 * pause : pause;
    }
    return FILE_LOCKED;
}
