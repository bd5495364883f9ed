/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a record, and the lock that is held while it is made. */
#include "base/atomic_file.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "compile/pch_make.h"
#include "loader/cache/cache_settings.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the path still leads to the file: who had it before may have removed it. For signal handlers, too.
 */
static bool is_there(int descriptor, const char *path)
{
    struct stat held;
    struct stat found;
    return fstat(descriptor, &held) == 0 && stat(path, &found) == 0 && held.st_dev == found.st_dev &&
           held.st_ino == found.st_ino;
}

/* The lock's file, to be removed if the process ends now. */
static _Atomic(const char *) held_path;
static atomic_int held_descriptor = -1;

/* Only what is safe in a signal handler. A file that this process still waits for is another's. */
static void remove_held(void)
{
    int descriptor = atomic_exchange(&held_descriptor, -1);
    if (descriptor < 0) {
        return;
    }
    const char *path = atomic_load(&held_path);
    bool is_others = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!is_others && is_there(descriptor, path)) {
        unlink(path);
    }
}

static void remove_if_ended(void)
{
    static atomic_flag is_registered = ATOMIC_FLAG_INIT;
    interrupt_call(remove_held);
    if (!atomic_flag_test_and_set(&is_registered)) {
        atexit(remove_held); /* NVRTC, while it works, makes of a signal an exit */
    }
}

/* What ends the process waits until remove_held() knows of the file, or no longer has to. */
static void block_signals(sigset_t *out_before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, out_before);
}

static void let_signals(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static cubinet_status open_held(struct pch_file *file)
{
    sigset_t before;
    block_signals(&before);
    file->descriptor = open(file->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int error = errno;
    atomic_store(&held_path, file->lock_path);
    atomic_store(&held_descriptor, file->descriptor);
    let_signals(&before);
    errno = error;
    return file->descriptor >= 0 ? CUBINET_OK : atomic_file_error(file->lock_path);
}

/* Closes the lock's file, and removes it if it is this process's. */
static void close_held(struct pch_file *file)
{
    sigset_t before;
    block_signals(&before);
    atomic_store(&held_descriptor, -1);
    if (file->descriptor >= 0) {
        if (file->lock != FILE_LOCK_BUSY && is_there(file->descriptor, file->lock_path)) {
            unlink(file->lock_path);
        }
        close(file->descriptor);
    }
    let_signals(&before);
    file->descriptor = -1;
}

cubinet_status pch_file_lock(const char *path, struct pch_file *out_file)
{
    struct pch_file file = {.path = path, .descriptor = -1};
    if (asprintf(&file.lock_path, "%s" PCH_LOCK_SUFFIX, path) < 0) {
        return cbn_error_memory();
    }
    remove_if_ended();
    do {
        close_held(&file);
        cubinet_status status = open_held(&file);
        if (status) {
            free(file.lock_path);
            return status;
        }
        /* Without a lock, what two processes make at once is found to be of no use. */
        file.lock = file_lock(file.descriptor, cbn_cache_default_wait_ms());
    } while (!is_there(file.descriptor, file.lock_path));
    *out_file = file;
    return CUBINET_OK;
}

cubinet_status pch_file_write(const struct pch_file *file, const char *text)
{
    return file_replace_how(file->path, text, strlen(text), ATOMIC_FILE_UNSYNCED);
}

cubinet_status pch_file_touch(const struct pch_file *file)
{
    return utimensat(AT_FDCWD, file->path, NULL, 0) == 0 ? CUBINET_OK : atomic_file_error(file->path);
}

void pch_file_unlock(struct pch_file *file)
{
    close_held(file);
    free(file->lock_path);
    *file = (struct pch_file){.descriptor = -1};
}
