/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a record, held while it is made. */
#include "atomic_file.h"
#include "error.h"
#include "pch_make.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
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
        /* Where files can't be locked, what two processes make at once is found to be of no use. */
        flock(file.descriptor, LOCK_EX);
    } while (!is_there(&file));
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
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
    *file = (struct pch_file){.descriptor = -1};
}
