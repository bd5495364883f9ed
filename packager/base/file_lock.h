/* SPDX-License-Identifier: Apache-2.0 */
/* Locks on whole files between processes. Whoever holds one may be stopped, so nobody waits for ever. */
#ifndef FILE_LOCK_H
#define FILE_LOCK_H

#include <stdint.h>

enum file_lock_result {
    FILE_LOCK_NONE, /* the file system has no locks, with errno */
    FILE_LOCK_BUSY, /* another process still has it */
    FILE_LOCKED,    /* until the descriptor is closed */
};

/* Waits so long at most. */
enum file_lock_result file_lock(int fd, uint32_t limit_ms);

#endif
