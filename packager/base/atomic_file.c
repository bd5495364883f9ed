/* SPDX-License-Identifier: Apache-2.0 */
#include "base/atomic_file.h"

#include "base/interrupt.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMPARE_BLOCK = 16384, TEMPORARY_ATTEMPTS = 1000, DESCRIPTOR_PATH_SIZE = 32 };

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

/* Makes a file at a path where there is none: a new one, whose descriptor it returns, or one more name for
 * what another path names. -1 with errno. */
typedef int (*make_fn)(const char *path, const char *existing);

/* Not by mkostemp(): its mode would be 0600, and what the umask and the folder's default access list make of
 * 0666 only the kernel knows. */
static int make_file(const char *path, const char *existing)
{
    (void)existing;
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static int make_link(const char *path, const char *existing)
{
    return linkat(AT_FDCWD, existing, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Makes it in the folder of the target, under a name that was free. */
static int make_temporary(const char *target, make_fn make, const char *existing, char **out_path)
{
    for (unsigned attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        char *path;
        if (asprintf(&path, "%.*s.cubinet-%ld-%u.tmp", folder_length(target), target, (long)getpid(),
                     attempt) < 0) {
            errno = ENOMEM;
            return -1;
        }
        int made = make(path, existing);
        if (made >= 0) {
            *out_path = path;
            return made;
        }
        free(path);
        if (errno != EEXIST) {
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

/* Where an open file is found, with a name or without. */
static const char *descriptor_path(int fd, char path[DESCRIPTOR_PATH_SIZE])
{
    snprintf(path, DESCRIPTOR_PATH_SIZE, "/proc/self/fd/%d", fd);
    return path;
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
    int fd = make_unnamed(file->target);
    if (fd >= 0) {
        file->is_unnamed = true;
        return fd;
    }
    fd = make_temporary(file->target, make_file, NULL, &file->temporary);
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

static bool is_new(const struct atomic_file *file)
{
    return file->is_unnamed || file->temporary;
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
    char existing[DESCRIPTOR_PATH_SIZE];
    descriptor_path(fileno(file->stream), existing);
    if (file->is_unnamed && make_temporary(file->target, make_link, existing, &file->temporary) < 0) {
        return atomic_file_error(file->path);
    }
    interrupt_remove(file->temporary);
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
    bool is_kept = !is_new(file) || ((how & ATOMIC_FILE_KEEP_IF_EQUAL) && is_equal(file));
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
        interrupt_remove(NULL);
        free(file->temporary);
    }
    free(file->target);
    *file = (struct atomic_file){0};
}
