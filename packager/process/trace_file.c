/* SPDX-License-Identifier: Apache-2.0 */
#include "process/trace_file.h"

#include "base/file_lock.h"
#include "base/folder.h"
#include "loader/cache/cache_settings.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head[] = "[\n";
static const char separator[] = ",\n";
static const char tail[] = "\n]\n";
enum { HEAD_SIZE = sizeof(head) - 1, SEPARATOR_SIZE = sizeof(separator) - 1, TAIL_SIZE = sizeof(tail) - 1 };

static cubinet_status fail(const char *what, const char *path)
{
    return cbn_error(CUBINET_ERROR_IO, "cannot %s the trace '%s': %s", what, path, strerror(errno));
}

static bool has_at(int fd, const char *text, size_t size, off_t offset)
{
    char found[4];
    return offset >= 0 && pread(fd, found, size, offset) == (ssize_t)size && memcmp(found, text, size) == 0;
}

/* Where the last whole event before an offset ends: its line has a comma after it. */
static off_t last_whole_event(int fd, off_t end)
{
    for (off_t at = end - SEPARATOR_SIZE; at >= HEAD_SIZE; at--) {
        if (has_at(fd, separator, SEPARATOR_SIZE, at)) {
            return at;
        }
    }
    return 0;
}

/* Where the next event goes: 0 if it is the first. */
static cubinet_status find_end(int fd, const char *path, off_t *out_end)
{
    struct stat about;
    if (fstat(fd, &about) != 0) {
        return fail("read", path);
    }
    if (about.st_size >= HEAD_SIZE && !has_at(fd, head, HEAD_SIZE, 0)) {
        return cbn_error(CUBINET_ERROR_IO, "'%s' is there, and is not a trace that cubinet wrote", path);
    }
    bool is_whole = has_at(fd, tail, TAIL_SIZE, about.st_size - TAIL_SIZE);
    *out_end = is_whole ? about.st_size - TAIL_SIZE : last_whole_event(fd, about.st_size);
    return CUBINET_OK;
}

static bool write_all(int fd, const char *data, size_t size, off_t offset)
{
    while (size > 0) {
        ssize_t written = pwrite(fd, data, size, offset);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        size_t done = written > 0 ? (size_t)written : 0;
        data += done;
        size -= done;
        offset += (off_t)done;
    }
    return true;
}

/* In one piece, so that a process that is killed hardly ever leaves a part. */
static cubinet_status add(int fd, const char *path, const char *events, size_t size)
{
    off_t end = 0;
    cubinet_status status = find_end(fd, path, &end);
    if (status) {
        return status;
    }
    char *text = malloc(HEAD_SIZE + SEPARATOR_SIZE + size + TAIL_SIZE + 1);
    if (!text) {
        return cbn_error_memory();
    }
    char *at = stpcpy(text, end > 0 ? separator : head);
    memcpy(at, events, size);
    at = stpcpy(at + size, tail);
    size_t total = (size_t)(at - text);
    bool written = ftruncate(fd, end) == 0 && write_all(fd, text, total, end);
    free(text);
    return written ? CUBINET_OK : fail("write", path);
}

static cubinet_status lock_and_add(const char *path, const char *events, size_t size)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        return fail("open", path);
    }
    enum file_lock_result locked = file_lock(fd, cbn_cache_default_wait_ms());
    errno = locked == FILE_LOCK_BUSY ? EBUSY : errno;
    cubinet_status status = locked == FILE_LOCKED ? add(fd, path, events, size) : fail("lock", path);
    close(fd);
    return status;
}

cubinet_status trace_file_append(const char *folder, const char *events, size_t size)
{
    char *path = NULL;
    cubinet_status status = folder_make_all(folder);
    if (status) {
        return status;
    }
    if (asprintf(&path, "%s/" TRACE_FILE_NAME, folder) < 0) {
        return cbn_error_memory();
    }
    status = lock_and_add(path, events, size);
    free(path);
    return status;
}
