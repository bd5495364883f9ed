/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/replaced_files.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    const struct replaced_file *files;
    size_t count;
} replaced = {.lock = PTHREAD_MUTEX_INITIALIZER};

void replaced_files_start(const struct replaced_file *files, size_t count)
{
    pthread_mutex_lock(&replaced.lock);
    replaced.files = files;
    replaced.count = count;
    pthread_mutex_unlock(&replaced.lock);
}

void replaced_files_stop(void)
{
    replaced_files_start(NULL, 0);
}

static const char *text_of(int descriptor)
{
    struct stat about;
    const char *text = NULL;
    pthread_mutex_lock(&replaced.lock);
    if (replaced.count > 0 && fstat(descriptor, &about) == 0) {
        for (size_t i = 0; i < replaced.count && !text; i++) {
            const struct replaced_file *file = &replaced.files[i];
            text = file->device == about.st_dev && file->inode == about.st_ino ? file->text : NULL;
        }
    }
    pthread_mutex_unlock(&replaced.lock);
    return text;
}

FILE *replaced_files_stream_of(const char *text)
{
    size_t left = strlen(text);
    int descriptor = memfd_create("source", MFD_CLOEXEC);
    while (descriptor >= 0 && left > 0) {
        ssize_t written = write(descriptor, text, left);
        if (written < 0 && errno != EINTR) {
            close(descriptor);
            return NULL;
        }
        text += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
    FILE *file = descriptor >= 0 && lseek(descriptor, 0, SEEK_SET) == 0 ? fdopen(descriptor, "r") : NULL;
    if (!file && descriptor >= 0) {
        close(descriptor);
    }
    return file;
}

FILE *replaced_files_stream(FILE *file)
{
    const char *text = text_of(fileno(file));
    if (!text) {
        return file;
    }
    fclose(file);
    return replaced_files_stream_of(text);
}
