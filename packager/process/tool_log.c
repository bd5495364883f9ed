/* SPDX-License-Identifier: Apache-2.0 */
#include "process/tool_log.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEGABYTE = 1000 * 1000, MOST_HELD = 64 * MEGABYTE, PART = 8 * MEGABYTE, CHUNK = 1 << 16 };

int tool_log_open(void)
{
    int fd = memfd_create("log", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    /* It has all of its size at once, as a hole, and can't grow. */
    if (fd >= 0 && (ftruncate(fd, MOST_HELD) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) != 0)) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static bool append(int fd, off_t start, off_t end, struct buffer *text)
{
    char chunk[CHUNK];
    while (start < end) {
        size_t wanted = end - start < CHUNK ? (size_t)(end - start) : CHUNK;
        ssize_t got = pread(fd, chunk, wanted, start);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        buffer_append(text, chunk, got > 0 ? (size_t)got : 0);
        start += got > 0 ? got : 0;
    }
    return true;
}

cubinet_status tool_log_read(int fd, char **out_text)
{
    struct buffer text = {0};
    off_t size = lseek(fd, 0, SEEK_CUR); /* the program has written through the same place */
    bool is_long = size > 2 * PART;
    bool is_read = size >= 0 && append(fd, 0, is_long ? PART : size, &text);
    if (is_read && is_long) {
        buffer_printf(&text, "\n… %lld bytes of messages are left out here%s …\n", (long long)size - 2 * PART,
                      size == MOST_HELD ? ", and all that came after" : "");
        is_read = append(fd, size - PART, size, &text);
    }
    if (!is_read) {
        buffer_free(&text);
        return cbn_error(CUBINET_ERROR_IO, "cannot read what a program said: %s", strerror(errno));
    }
    *out_text = buffer_take(&text);
    return *out_text ? CUBINET_OK : cbn_error_memory();
}
