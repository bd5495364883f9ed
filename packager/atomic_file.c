/* SPDX-License-Identifier: Apache-2.0 */
#include "atomic_file.h"

#include "error.h"
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMPARE_BLOCK = 16384, TEMPORARY_ATTEMPTS = 1000 };

cubinet_status atomic_file_error(const char *path)
{
    if (errno == ENXIO) {
        return cbn_error(CUBINET_ERROR_IO, "cannot write '%s': it is a pipe that nobody reads from", path);
    }
    return cbn_error(CUBINET_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
}

/* The length of a path's folder with its slash; 0 for the current folder. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Creates a file that did not exist, in the folder of the target. Not by mkostemp(): its mode would be 0600,
 * and what the umask and the folder's default access list make of 0666 only the kernel knows. */
static int create_temporary(const char *target, char **out_path)
{
    for (unsigned attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        char *path;
        if (asprintf(&path, "%.*s.cubinet-%ld-%u.tmp", folder_length(target), target, (long)getpid(),
                     attempt) < 0) {
            errno = ENOMEM;
            return -1;
        }
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            *out_path = path;
            return fd;
        }
        free(path);
        if (errno != EEXIST) {
            return -1;
        }
    }
    return -1;
}

/* What is to be replaced: the file behind a symbolic link, or the path itself if it is none or leads nowhere.
 */
static char *find_target(const char *path)
{
    struct stat link;
    if (lstat(path, &link) == 0 && S_ISLNK(link.st_mode)) {
        char *behind = realpath(path, NULL);
        if (behind || errno == ENOMEM) {
            return behind;
        }
    }
    return strdup(path);
}

static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

/* A folder is refused: EISDIR. A pipe that nobody reads, too, for which opening would wait: ENXIO. */
static int open_special(const char *path)
{
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) {
        fcntl(fd, F_SETFL, 0);
    }
    return fd;
}

static int open_descriptor(struct atomic_file *file)
{
    if (is_special(file->path)) {
        return open_special(file->path);
    }
    int fd = create_temporary(file->target, &file->temporary);
    if (fd >= 0) {
        interrupt_remove(file->temporary);
    }
    return fd;
}

cubinet_status atomic_file_open(const char *path, struct atomic_file *out_file)
{
    struct atomic_file file = {.path = path, .target = find_target(path)};
    if (!file.target) {
        return cbn_error_memory();
    }
    int fd = open_descriptor(&file);
    file.stream = fd >= 0 ? fdopen(fd, file.temporary ? "w+b" : "wb") : NULL;
    if (!file.stream) {
        cubinet_status status = atomic_file_error(path);
        if (fd >= 0) {
            close(fd);
        }
        atomic_file_discard(&file);
        return status;
    }
    *out_file = file;
    return CUBINET_OK;
}

static bool same_bytes(FILE *a, FILE *b)
{
    char block_a[COMPARE_BLOCK];
    char block_b[COMPARE_BLOCK];
    size_t size;
    do {
        size = fread(block_a, 1, sizeof(block_a), a);
        if (fread(block_b, 1, sizeof(block_b), b) != size || memcmp(block_a, block_b, size) != 0) {
            return false;
        }
    } while (size > 0);
    return !ferror(a) && !ferror(b);
}

static bool same_files(const char *path_a, const char *path_b)
{
    FILE *a = fopen(path_a, "rbe");
    FILE *b = fopen(path_b, "rbe");
    bool same = a && b && same_bytes(a, b);
    if (a) {
        fclose(a);
    }
    if (b) {
        fclose(b);
    }
    return same;
}

/* Makes a rename last beyond a power failure. Where folders can't be synced there is nothing to be done. */
static void sync_folder(const char *target)
{
    int length = folder_length(target);
    char *folder = length ? strndup(target, (size_t)length) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static cubinet_status flush(struct atomic_file *file, bool is_synced)
{
    bool written = fflush(file->stream) == 0 && !ferror(file->stream);
    if (written && file->temporary && is_synced) {
        written = fsync(fileno(file->stream)) == 0;
    }
    cubinet_status status = written ? CUBINET_OK : atomic_file_error(file->path);
    if (fclose(file->stream) != 0 && status == CUBINET_OK) {
        status = atomic_file_error(file->path);
    }
    file->stream = NULL;
    return status;
}

static cubinet_status replace(struct atomic_file *file, bool is_synced)
{
    if (rename(file->temporary, file->target) != 0) {
        return atomic_file_error(file->path);
    }
    interrupt_remove(NULL);
    free(file->temporary);
    file->temporary = NULL;
    if (is_synced) {
        sync_folder(file->target);
    }
    return CUBINET_OK;
}

cubinet_status atomic_file_commit(struct atomic_file *file, unsigned how)
{
    bool is_synced = !(how & ATOMIC_FILE_UNSYNCED);
    cubinet_status status = flush(file, is_synced);
    if (status == CUBINET_OK && file->temporary &&
        !((how & ATOMIC_FILE_KEEP_IF_EQUAL) && same_files(file->temporary, file->target))) {
        status = replace(file, is_synced);
    }
    atomic_file_discard(file);
    return status;
}

void atomic_file_discard(struct atomic_file *file)
{
    if (file->stream) {
        fclose(file->stream);
    }
    if (file->temporary) {
        unlink(file->temporary);
        interrupt_remove(NULL);
        free(file->temporary);
    }
    free(file->target);
    *file = (struct atomic_file){0};
}
