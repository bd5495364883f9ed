/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a record, held while it is made. */
#include "base/atomic_file.h"
#include "base/file_lock.h"
#include "base/interrupt.h"
#include "compile/pch_make.h"
#include "loader/cache/cache_settings.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the path still leads to the file: who had it before may have removed it. */
static bool is_there(const struct pch_file *file)
{
    struct stat held;
    struct stat found;
    return fstat(file->descriptor, &held) == 0 && stat(file->path, &found) == 0 &&
           held.st_dev == found.st_dev && held.st_ino == found.st_ino;
}

static bool is_empty(int descriptor)
{
    struct stat about;
    return fstat(descriptor, &about) == 0 && about.st_size == 0;
}

/* The file that nothing is in yet if the process ends now. */
static _Atomic(const char *) held_path;
static atomic_int held_descriptor = -1;

/* Only what is safe in a signal handler. */
static void remove_held(void)
{
    int descriptor = atomic_exchange(&held_descriptor, -1);
    if (descriptor >= 0 && is_empty(descriptor)) {
        unlink(atomic_load(&held_path));
    }
}

static void remove_if_ended(const struct pch_file *file)
{
    static atomic_flag is_registered = ATOMIC_FLAG_INIT;
    atomic_store(&held_path, file->path);
    atomic_store(&held_descriptor, file->descriptor);
    interrupt_call(remove_held);
    if (!atomic_flag_test_and_set(&is_registered)) {
        atexit(remove_held); /* NVRTC, while it works, makes of a signal an exit */
    }
}

cubinet_status pch_file_lock(const char *path, struct pch_file *out_file)
{
    struct pch_file file = {.path = path, .descriptor = -1};
    do {
        pch_file_unlock(&file);
        file.path = path;
        file.descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file.descriptor < 0) {
            return atomic_file_error(path);
        }
        /* Without a lock, what two processes make at once is found to be of no use. */
        file_lock(file.descriptor, cbn_cache_default_wait_ms());
    } while (!is_there(&file));
    remove_if_ended(&file);
    *out_file = file;
    return CUBINET_OK;
}

cubinet_status pch_file_write(const struct pch_file *file, const char *text)
{
    size_t size = strlen(text);
    if (ftruncate(file->descriptor, 0) != 0) {
        return atomic_file_error(file->path);
    }
    for (size_t at = 0; at < size;) {
        ssize_t written = pwrite(file->descriptor, text + at, size - at, (off_t)at);
        if (written < 0 && errno != EINTR) {
            return atomic_file_error(file->path);
        }
        at += written > 0 ? (size_t)written : 0;
    }
    return CUBINET_OK;
}

cubinet_status pch_file_touch(const struct pch_file *file)
{
    return futimens(file->descriptor, NULL) == 0 ? CUBINET_OK : atomic_file_error(file->path);
}

void pch_file_unlock(struct pch_file *file)
{
    atomic_store(&held_descriptor, -1);
    if (file->descriptor >= 0) {
        if (is_empty(file->descriptor) && is_there(file)) {
            unlink(file->path);
        }
        close(file->descriptor);
    }
    *file = (struct pch_file){.descriptor = -1};
}
