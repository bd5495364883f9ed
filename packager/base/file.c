/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include "base/atomic_file.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cubinet_status fail(const char *path)
{
    return cbn_error(CUBINET_ERROR_IO, "cannot read '%s': %s", path, strerror(errno));
}

/* What a pipe or a device may bring: it tells no size, and may have no end. */
enum { MOST_STREAMED_MB = 64, MOST_STREAMED = MOST_STREAMED_MB * 1000 * 1000, CHUNK = 1 << 16 };

/* Never waits for somebody to write into a FIFO. */
static cubinet_status open_to_read(const char *path, int *out_fd, struct stat *out_about)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, out_about) != 0) {
        cubinet_status status = fail(path);
        if (fd >= 0) {
            close(fd);
        }
        return status;
    }
    *out_fd = fd;
    return CUBINET_OK;
}

cubinet_status file_open(const char *path, FILE **out_file)
{
    struct stat about;
    int fd = -1;
    cubinet_status status = open_to_read(path, &fd, &about);
    if (status) {
        return status;
    }
    bool is_regular = S_ISREG(about.st_mode);
    FILE *file = is_regular ? fdopen(fd, "r") : NULL;
    if (!file) {
        status = is_regular ? fail(path) : cbn_error(CUBINET_ERROR_IO, "'%s' is not a regular file", path);
        close(fd);
        return status;
    }
    *out_file = file;
    return CUBINET_OK;
}

/* Whether a FIFO is at its end because nobody has it open to write, rather than because all have closed it.
 */
static bool is_unwritten(int fd, const struct stat *about)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    return S_ISFIFO(about->st_mode) && poll(&ready, 1, 0) == 0;
}

static cubinet_status read_all(const char *path, int fd, const struct stat *about, struct buffer *bytes)
{
    char chunk[CHUNK];
    ssize_t got;
    while ((got = read(fd, chunk, sizeof(chunk))) != 0) {
        if (got > 0) {
            buffer_append(bytes, chunk, (size_t)got);
        } else if (errno == EAGAIN ? fcntl(fd, F_SETFL, 0) != 0 : errno != EINTR) {
            return fail(path);
        }
        if (!S_ISREG(about->st_mode) && bytes->size > MOST_STREAMED) {
            return cbn_error(CUBINET_ERROR_IO, "'%s' is not a regular file, and has more than %d MB", path,
                             MOST_STREAMED_MB);
        }
    }
    return bytes->size == 0 && is_unwritten(fd, about)
               ? cbn_error(CUBINET_ERROR_IO, "'%s' is a pipe that nobody writes to", path)
               : CUBINET_OK;
}

cubinet_status file_read(const char *path, char **out_data, size_t *out_size)
{
    struct stat about;
    struct buffer buffer = {0};
    int fd = -1;
    cubinet_status status = open_to_read(path, &fd, &about);
    if (status) {
        return status;
    }
    status = read_all(path, fd, &about, &buffer);
    close(fd);
    size_t size = buffer.size;
    char *data = buffer_take(&buffer);
    if (!status && !data) {
        status = cbn_error_memory();
    }
    if (status) {
        free(data);
        return status;
    }
    *out_data = data;
    *out_size = size;
    return CUBINET_OK;
}

cubinet_status file_sha256(const char *path, struct cbn_sha256 *out_digest)
{
    FILE *file;
    cubinet_status status = file_open(path, &file);
    if (status) {
        return status;
    }
    struct cbn_sha256_state state;
    char chunk[CHUNK];
    size_t got;
    cbn_sha256_start(&state);
    while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0) {
        cbn_sha256_add(&state, chunk, got);
    }
    status = ferror(file) ? fail(path) : CUBINET_OK;
    fclose(file);
    if (!status) {
        *out_digest = cbn_sha256_finish(&state);
    }
    return status;
}

cubinet_status file_replace_how(const char *path, const void *data, size_t size, unsigned how)
{
    struct atomic_file file;
    cubinet_status status = atomic_file_open(path, &file);
    if (status) {
        return status;
    }
    if (fwrite(data, 1, size, file.stream) != size) {
        status = atomic_file_error(path);
        atomic_file_discard(&file);
        return status;
    }
    return atomic_file_commit(&file, how);
}

cubinet_status file_replace(const char *path, const void *data, size_t size)
{
    return file_replace_how(path, data, size, 0);
}

cubinet_status file_replace_if_different(const char *path, const void *data, size_t size)
{
    return file_replace_how(path, data, size, ATOMIC_FILE_KEEP_IF_EQUAL);
}
