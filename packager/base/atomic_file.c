/* SPDX-License-Identifier: Apache-2.0 */
#include "base/atomic_file.h"

#include "base/file_lock.h"
#include "base/interrupt.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMPARE_BLOCK = 16384, TEMPORARY_ATTEMPTS = 1000, DESCRIPTOR_PATH_SIZE = 32, LONGEST_NAME_PART = 200 };

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

/* Where an open file is found, with a name or without. */
static const char *descriptor_path(int fd, char path[DESCRIPTOR_PATH_SIZE])
{
    snprintf(path, DESCRIPTOR_PATH_SIZE, "/proc/self/fd/%d", fd);
    return path;
}

static bool is_named(int fd, const char *path)
{
    struct stat open_file;
    struct stat named;
    return fstat(fd, &open_file) == 0 && lstat(path, &named) == 0 && open_file.st_dev == named.st_dev &&
           open_file.st_ino == named.st_ino;
}

/* Not by mkostemp(): its mode would be 0600, and what the umask and the folder's default access list make of
 * 0666 only the kernel knows. */
static int make_locked(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 && (file_lock(fd, 0) == FILE_LOCK_BUSY || !is_named(fd, path))) {
        close(fd); /* another process took it for a leftover before it was locked */
        errno = EEXIST;
        return -1;
    }
    return fd;
}

/* Makes a new file, whose descriptor it returns, or another name for an open one. -1 with errno. */
static int make_at(const char *path, int existing)
{
    char existing_path[DESCRIPTOR_PATH_SIZE];
    return existing < 0 ? make_locked(path)
                        : linkat(AT_FDCWD, descriptor_path(existing, existing_path), AT_FDCWD, path,
                                 AT_SYMLINK_FOLLOW);
}

/* Removes what a killed process left: whoever still writes it has the lock. */
static bool remove_left(const char *path)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_left = fd >= 0 && file_lock(fd, 0) == FILE_LOCKED && is_named(fd, path) && unlink(path) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return is_left;
}

/* Makes it in the folder of the target, under a name that is free. The names are the same for every process:
 * who writes the target the next time finds what one that was killed left.
 *
 * existing: an open file that is locked; -1: a new one is made, and locked */
static int make_temporary(const char *target, int existing, char **out_path)
{
    int length = folder_length(target);
    for (unsigned attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        char *path;
        if (asprintf(&path, "%.*s.cubinet-%.*s-%u.tmp", length, target, LONGEST_NAME_PART, target + length,
                     attempt) < 0) {
            errno = ENOMEM;
            return -1;
        }
        int made = make_at(path, existing);
        bool is_taken = made < 0 && errno == EEXIST;
        if (is_taken && remove_left(path)) {
            made = make_at(path, existing);
        }
        if (made >= 0) {
            *out_path = path;
            return made;
        }
        free(path);
        if (!is_taken) {
            return -1;
        }
    }
    return -1;
}

/* A file without a name, which is gone if this process is killed; -1 where the file system has none, or no
 * name could be given to it later. */
static int make_unnamed(const char *target)
{
    int length = folder_length(target);
    char *folder = length ? strndup(target, (size_t)length) : strdup(".");
    bool can_be_named = folder && access("/proc/self/fd", X_OK) == 0;
    int fd = can_be_named ? open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666) : -1;
    free(folder);
    return fd;
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

/* Until discard: fclose(), which has to succeed before the file is renamed, would let the lock go. */
static void hold(struct atomic_file *file, int fd)
{
    interrupt_remove(file->temporary);
    file->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static int open_descriptor(struct atomic_file *file)
{
    if (is_special(file->path)) {
        return open_special(file->path);
    }
    int fd = make_unnamed(file->target);
    if (fd >= 0) {
        file->is_unnamed = true;
        return fd;
    }
    fd = make_temporary(file->target, -1, &file->temporary);
    if (fd >= 0) {
        hold(file, fd);
    }
    return fd;
}

static bool is_new(const struct atomic_file *file)
{
    return file->is_unnamed || file->temporary;
}

/* Where modes can't be changed, as on some file systems of other systems, all files may have the same. */
static cubinet_status change_mode(const struct atomic_file *file, mode_t mode)
{
    struct stat about;
    int fd = fileno(file->stream);
    bool is_done = fstat(fd, &about) == 0 && (about.st_mode & ACCESSPERMS) == mode;
    return is_done || fchmod(fd, mode) == 0 ? CUBINET_OK : atomic_file_error(file->path);
}

cubinet_status atomic_file_set_mode(struct atomic_file *file, mode_t mode)
{
    file->has_mode = is_new(file);
    file->mode = mode & ACCESSPERMS;
    /* The owner can write until the end: a leftover is opened to be removed. */
    return file->has_mode ? change_mode(file, file->mode | S_IRUSR | S_IWUSR) : CUBINET_OK;
}

static cubinet_status keep_mode(struct atomic_file *file)
{
    struct stat about;
    bool is_there = is_new(file) && stat(file->target, &about) == 0;
    return is_there ? atomic_file_set_mode(file, about.st_mode) : CUBINET_OK;
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
    cubinet_status status = keep_mode(&file);
    if (status) {
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
    if (written && is_new(file) && is_synced) {
        written = fsync(fileno(file->stream)) == 0;
    }
    return written ? CUBINET_OK : atomic_file_error(file->path);
}

/* No call gives a file the name that another has: it gets one of its own for the moment before rename(). */
static cubinet_status give_name(struct atomic_file *file)
{
    int fd = fileno(file->stream);
    if (!file->is_unnamed) {
        interrupt_remove(file->temporary);
        return CUBINET_OK;
    }
    file_lock(fd, 0);
    if (make_temporary(file->target, fd, &file->temporary) < 0) {
        return atomic_file_error(file->path);
    }
    hold(file, fd);
    return CUBINET_OK;
}

static cubinet_status close_stream(struct atomic_file *file)
{
    int result = fclose(file->stream);
    file->stream = NULL;
    return result == 0 ? CUBINET_OK : atomic_file_error(file->path);
}

static bool is_equal(const struct atomic_file *file)
{
    char path[DESCRIPTOR_PATH_SIZE];
    return same_files(descriptor_path(fileno(file->stream), path), file->target);
}

static void let_go(struct atomic_file *file)
{
    interrupt_remove(NULL);
    if (file->lock >= 0) {
        close(file->lock);
    }
    free(file->temporary);
    file->temporary = NULL;
}

static cubinet_status replace(struct atomic_file *file, bool is_synced)
{
    if (rename(file->temporary, file->target) != 0) {
        return atomic_file_error(file->path);
    }
    let_go(file);
    if (is_synced) {
        sync_folder(file->target);
    }
    return CUBINET_OK;
}

cubinet_status atomic_file_commit(struct atomic_file *file, unsigned how)
{
    bool is_synced = !(how & ATOMIC_FILE_UNSYNCED);
    cubinet_status status = flush(file, is_synced);
    bool is_kept = !is_new(file) || ((how & ATOMIC_FILE_KEEP_IF_EQUAL) && is_equal(file));
    if (!status && !is_kept && file->has_mode) {
        status = change_mode(file, file->mode);
    }
    if (!status && !is_kept) {
        status = give_name(file);
    }
    if (!status) {
        status = close_stream(file);
    }
    if (!status && !is_kept) {
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
        let_go(file);
    }
    free(file->target);
    *file = (struct atomic_file){0};
}
