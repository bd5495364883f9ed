/* SPDX-License-Identifier: Apache-2.0 */
/* These are definitions of the functions that fortified headers define in line. */
#undef _FORTIFY_SOURCE
#include "interpose/opened_files.h"

#include "interpose/header_trace.h"
#include "interpose/hidden_headers.h"
#include "interpose/integer_header.h"
#include "interpose/replaced_files.h"
#include "interpose/working_folder.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

struct paths {
    char **items;
    size_t count;
    size_t capacity;
};

/* Which file it was, whatever its path leads to later. */
struct identity {
    dev_t device;
    ino_t inode;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool on;
    bool paused;
    bool out_of_memory;
    struct paths opened;
    struct identity *identities; /* of the opened ones */
    size_t identity_capacity;
    struct paths missing;
} noted;

/* What the C library reads of the kernel is not an input of a compile. Sources may lie in shared memory, and
 * their paths may lead through the working folder's link in /proc. */
static bool is_missing_input(const char *path)
{
    if (cbn_starts_with(path, "/dev/shm/") || cbn_starts_with(path, "/proc/self/cwd/")) {
        return true;
    }
    return !cbn_starts_with(path, "/proc/") && !cbn_starts_with(path, "/sys/") &&
           !cbn_starts_with(path, "/dev/");
}

static bool is_opened_input(int descriptor)
{
    struct stat about;
    struct statfs system;
    if (fstat(descriptor, &about) != 0 || fstatfs(descriptor, &system) != 0) {
        return true; /* what it is will show when it is looked at */
    }
    return (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) && system.f_type != PROC_SUPER_MAGIC &&
           system.f_type != SYSFS_MAGIC;
}

static bool append(struct paths *paths, const char *path)
{
    if (paths->count == paths->capacity) {
        size_t capacity = paths->capacity ? 2 * paths->capacity : 256;
        char **items = reallocarray(paths->items, capacity, sizeof(*items));
        if (!items) {
            return false;
        }
        paths->items = items;
        paths->capacity = capacity;
    }
    paths->items[paths->count] = strdup(path);
    return paths->items[paths->count] && ++paths->count;
}

/* Keeps which file an opened path led to. */
static bool append_opened(const char *path, struct stat about)
{
    if (noted.opened.count == noted.identity_capacity) {
        size_t capacity = noted.identity_capacity ? 2 * noted.identity_capacity : 256;
        struct identity *identities = reallocarray(noted.identities, capacity, sizeof(*identities));
        if (!identities) {
            return false;
        }
        noted.identities = identities;
        noted.identity_capacity = capacity;
    }
    noted.identities[noted.opened.count] = (struct identity){about.st_dev, about.st_ino};
    return append(&noted.opened, path);
}

/* Whether a path leads to another file than the one that was opened: a link or a folder was put in its place.
 */
static bool leads_elsewhere(const char *path, struct identity identity)
{
    struct stat about;
    return stat(path, &about) != 0 || about.st_dev != identity.device || about.st_ino != identity.inode;
}

static bool note_opened(const char *path, int descriptor)
{
    struct stat about = {0};
    fstat(descriptor, &about);
    return append_opened(path, about);
}

/* descriptor: -1 if the path could not be opened. Keeps errno, for it belongs to the call that is noted. */
static void note(const char *path, int descriptor)
{
    int error = errno;
    pthread_mutex_lock(&lock);
    if (noted.on && !noted.paused &&
        (descriptor >= 0 ? is_opened_input(descriptor) : is_missing_input(path)) &&
        !(descriptor >= 0 ? note_opened(path, descriptor) : append(&noted.missing, path))) {
        noted.out_of_memory = true;
    }
    pthread_mutex_unlock(&lock);
    errno = error;
}

static void paths_free(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        free(paths->items[i]);
    }
    free(paths->items);
    *paths = (struct paths){0};
}

void opened_files_start(void)
{
    pthread_mutex_lock(&lock);
    paths_free(&noted.opened);
    paths_free(&noted.missing);
    free(noted.identities);
    noted.identities = NULL;
    noted.identity_capacity = 0;
    noted.out_of_memory = false;
    noted.on = true;
    pthread_mutex_unlock(&lock);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_and_make_unique(struct paths *paths)
{
    if (paths->count == 0) {
        return;
    }
    qsort(paths->items, paths->count, sizeof(*paths->items), compare);
    size_t kept = 1;
    for (size_t i = 1; i < paths->count; i++) {
        if (strcmp(paths->items[i], paths->items[kept - 1]) == 0) {
            free(paths->items[i]);
        } else {
            paths->items[kept++] = paths->items[i];
        }
    }
    paths->count = kept;
}

cubinet_status opened_files_stop(struct opened_files *out_files)
{
    pthread_mutex_lock(&lock);
    struct paths opened = noted.opened;
    struct paths missing = noted.missing;
    struct identity *identities = noted.identities;
    bool out_of_memory = noted.out_of_memory;
    memset(&noted, 0, sizeof(noted));
    pthread_mutex_unlock(&lock);
    bool replaced = false;
    for (size_t i = 0; i < opened.count && !replaced; i++) {
        replaced = leads_elsewhere(opened.items[i], identities[i]);
    }
    free(identities);
    if (out_of_memory) {
        paths_free(&opened);
        paths_free(&missing);
        return cbn_error_memory();
    }
    sort_and_make_unique(&opened);
    sort_and_make_unique(&missing);
    *out_files = (struct opened_files){opened.items, opened.count, missing.items, missing.count, replaced};
    return CUBINET_OK;
}

void opened_files_pause(bool pause)
{
    pthread_mutex_lock(&lock);
    noted.paused = pause;
    pthread_mutex_unlock(&lock);
}

void opened_files_add(const char *path, bool is_missing)
{
    struct stat about = {0};
    pthread_mutex_lock(&lock);
    if (noted.on && is_missing) {
        noted.out_of_memory |= !append(&noted.missing, path);
    } else if (noted.on) {
        /* Not by stat(), for which some are hidden. One that is gone is found to be replaced at the end. */
        fstatat(AT_FDCWD, path, &about, 0);
        noted.out_of_memory |= !append_opened(path, about);
    }
    pthread_mutex_unlock(&lock);
}

static void remove_missing(const char *path)
{
    size_t kept = 0;
    for (size_t i = 0; i < noted.missing.count; i++) {
        if (strcmp(noted.missing.items[i], path) == 0) {
            free(noted.missing.items[i]);
        } else {
            noted.missing.items[kept++] = noted.missing.items[i];
        }
    }
    noted.missing.count = kept;
}

void opened_files_remove(const char *path)
{
    pthread_mutex_lock(&lock);
    size_t kept = 0;
    for (size_t i = 0; i < noted.opened.count; i++) {
        if (strcmp(noted.opened.items[i], path) == 0) {
            free(noted.opened.items[i]);
        } else {
            noted.opened.items[kept] = noted.opened.items[i];
            noted.identities[kept++] = noted.identities[i];
        }
    }
    noted.opened.count = kept;
    remove_missing(path);
    pthread_mutex_unlock(&lock);
}

void opened_files_free(struct opened_files *files)
{
    paths_free(&(struct paths){files->opened, files->opened_count, 0});
    paths_free(&(struct paths){files->missing, files->missing_count, 0});
    *files = (struct opened_files){0};
}

/* clang's address sanitizer is part of the program, and so none of the next definitions. It keeps account of
 * streams, and ends the program if one is closed without it and another one comes to lie there. */
static void *sanitizers_function(const char *name)
{
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    char own[64];
    snprintf(own, sizeof(own), "__interceptor_%s", name);
    return dlsym(RTLD_DEFAULT, own);
#endif
#endif
    (void)name;
    return NULL;
}

/* The C library's function of that name: the next definition after the program's own. */
static void *next_function(const char *name)
{
    void *function = sanitizers_function(name);
    function = function ? function : dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "cubinet: error: the C library has no function %s\n", name);
        abort();
    }
    return function;
}

/* What NVRTC and nvJitLink would wait for, or read without end. Devices are none of a compile's inputs; at
 * other times libraries may need them. */
static bool is_endless(const char *path)
{
    struct stat about;
    if (fstatat(AT_FDCWD, path, &about, 0) != 0) {
        return false;
    }
    pthread_mutex_lock(&lock);
    bool is_compiling = noted.on && !noted.paused;
    pthread_mutex_unlock(&lock);
    bool is_device = S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode);
    return S_ISFIFO(about.st_mode) || (is_device && is_compiling && strcmp(path, "/dev/null") != 0);
}

/* The note that a compile which fails prints tells why: inputs_note_unreadable(). Were it not noted, one that
 * only asks for the file would be found in the cache after the file has become a regular one. */
static FILE *refuse_stream(const char *path)
{
    pthread_mutex_lock(&lock);
    if (noted.on && !noted.paused && !append(&noted.missing, path)) {
        noted.out_of_memory = true;
    }
    pthread_mutex_unlock(&lock);
    errno = ENXIO;
    return NULL;
}

/* Whether a pipe that is to be written to has nobody who reads it: to open it would wait for one. */
static bool has_no_reader(const char *path)
{
    struct stat about;
    if (fstatat(AT_FDCWD, path, &about, 0) != 0 || !S_ISFIFO(about.st_mode)) {
        return false;
    }
    int descriptor = openat(AT_FDCWD, path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0) {
        close(descriptor);
    }
    return descriptor < 0;
}

static FILE *open_stream(const char *function, const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *);
    void *found = next_function(function);
    path = working_folder_path(path);
    memcpy(&next, &found, sizeof(next));
    if (hidden_headers_hides_opening(path)) {
        errno = ENOENT;
        return NULL;
    }
    bool is_read = mode[0] == 'r' && !strchr(mode, '+');
    if (is_read && is_endless(path)) {
        return refuse_stream(path);
    }
    if (!is_read && has_no_reader(path)) {
        errno = ENXIO;
        return NULL;
    }
    FILE *file = next(path, mode);
    if (is_read) {
        note(path, file ? fileno(file) : -1);
        file = file ? replaced_files_stream(file) : NULL;
        file = file && hidden_headers_are_on() ? integer_header_stream(path, file) : file;
        if (file) {
            header_trace_opened(path, file);
            hidden_headers_opened(path, file);
        }
    }
    return file;
}

static int open_descriptor(const char *function, const char *path, int flags, mode_t mode)
{
    int (*next)(const char *, int, ...);
    void *found = next_function(function);
    path = working_folder_path(path);
    memcpy(&next, &found, sizeof(next));
    int descriptor = next(path, flags, mode);
    if ((flags & O_ACCMODE) == O_RDONLY) {
        note(path, descriptor);
    }
    return descriptor;
}

static bool takes_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

EXPORTED FILE *fopen(const char *path, const char *mode)
{
    return open_stream("fopen", path, mode);
}

EXPORTED FILE *fopen64(const char *path, const char *mode)
{
    return open_stream("fopen64", path, mode);
}

EXPORTED int fclose(FILE *stream)
{
    int (*next)(FILE *);
    void *found = next_function("fclose");
    memcpy(&next, &found, sizeof(next));
    header_trace_closed(stream);
    hidden_headers_closed(stream);
    return next(stream);
}

EXPORTED int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = takes_mode(flags) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return open_descriptor("open", path, flags, mode);
}

EXPORTED int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = takes_mode(flags) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return open_descriptor("open64", path, flags, mode);
}
