/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/link_piece_file.h"

#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const off_t most = INT32_MAX;

static cubinet_status io_error(const char *path, int error)
{
    return cbn_error(CUBINET_ERROR_IO, "'%s' cannot be read: %s", path, strerror(error));
}

/* A file that shrinks meanwhile ends early. */
static cubinet_status read_all(int file, const char *path, char *data, size_t size, size_t *out_size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t more = read(file, data + done, size - done);
        if (more < 0 && errno != EINTR) {
            return io_error(path, errno);
        }
        if (more == 0) {
            break;
        }
        done += more > 0 ? (size_t)more : 0;
    }
    *out_size = done;
    return CUBINET_OK;
}

static cubinet_status check(int file, const char *path, size_t *out_size)
{
    struct stat about;
    if (fstat(file, &about)) {
        return io_error(path, errno);
    }
    if (!S_ISREG(about.st_mode)) {
        return cbn_error(CUBINET_ERROR_IO, "'%s' cannot be read: it is not a regular file", path);
    }
    if (about.st_size > most) {
        return cbn_error(CUBINET_ERROR_LIMIT, "'%s' has %lld bytes; a piece can have up to %lld", path,
                         (long long)about.st_size, (long long)most);
    }
    *out_size = (size_t)about.st_size;
    return CUBINET_OK;
}

cubinet_status cbn_piece_file_read(const char *path, void **out_data, size_t *out_size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return io_error(path, errno);
    }
    size_t size = 0;
    char *data = NULL;
    cubinet_status status = check(file, path, &size);
    if (!status) {
        data = malloc(size + 1);
        status = data ? read_all(file, path, data, size, &size) : cbn_error_memory();
    }
    close(file);
    if (status) {
        free(data);
        return status;
    }
    *out_data = data;
    *out_size = size;
    return CUBINET_OK;
}
