/* SPDX-License-Identifier: Apache-2.0 */
#include "failing_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

static const char *watched;
static unsigned failing_one;
static atomic_uint *counted;

/* Where a debugger stops at the fault. */
static __attribute__((noinline)) void now_fails(void)
{
    __asm__ volatile("");
}

static bool fails(const char *call, int error)
{
    if (watched && strcmp(watched, call) == 0 && atomic_fetch_add(counted, 1) + 1 == failing_one) {
        now_fails();
        errno = error;
        return true;
    }
    return false;
}

/* Allocations. Without sanitizers, which have their own, the program's functions take the C library's place
 * for all other libraries too. */
#ifdef WITH_SANITIZER
#define REPLACED(name) __wrap_##name
#define REAL(name)     __real_##name
#else
#define REPLACED(name) name
#define REAL(name)     __libc_##name
#endif

enum { MOST_LIBRARIES = 32 };
static struct {
    uintptr_t start;
    uintptr_t end;
} loaded[MOST_LIBRARIES];
static size_t loaded_count;

static int note_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (size_t i = 0; i < info->dlpi_phnum && loaded_count < MOST_LIBRARIES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
            loaded[loaded_count].start = info->dlpi_addr + part->p_vaddr;
            loaded[loaded_count++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        }
    }
    return 0;
}

static bool is_watched(const void *caller)
{
    bool is_loaded = loaded_count == 0;
    for (size_t i = 0; i < loaded_count && !is_loaded; i++) {
        is_loaded = (uintptr_t)caller >= loaded[i].start && (uintptr_t)caller < loaded[i].end;
    }
    return is_loaded;
}

#define ALLOCATION(type, name, parameters, arguments)                                                        \
    type REAL(name) parameters;                                                                              \
    VISIBLE type REPLACED(name) parameters;                                                                  \
    type REPLACED(name) parameters                                                                           \
    {                                                                                                        \
        bool failed = watched && is_watched(__builtin_return_address(0)) && fails("malloc", ENOMEM);         \
        return failed ? NULL : REAL(name) arguments;                                                         \
    }

ALLOCATION(void *, malloc, (size_t size), (size))
ALLOCATION(void *, calloc, (size_t count, size_t size), (count, size))
ALLOCATION(void *, realloc, (void *memory, size_t size), (memory, size))
#ifdef WITH_SANITIZER
ALLOCATION(void *, reallocarray, (void *memory, size_t count, size_t size), (memory, count, size))
ALLOCATION(char *, strdup, (const char *text), (text))
ALLOCATION(char *, strndup, (const char *text, size_t size), (text, size))
#endif

/* Other calls: what the linker puts in their place, with its value when it fails. */
#define CALLS(X)                                                                                             \
    X(ssize_t, read, (int fd, void *bytes, size_t size), (fd, bytes, size), -1, EIO)                         \
    X(ssize_t, pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at), -1, EIO)          \
    X(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size), -1, ENOSPC)               \
    X(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), -1,        \
      ENOSPC)                                                                                                \
    X(int, fsync, (int fd), (fd), -1, EIO)                                                                   \
    X(int, ftruncate, (int fd, off_t size), (fd, size), -1, EIO)                                             \
    X(int, rename, (const char *from, const char *to), (from, to), -1, EXDEV)                                \
    X(int, renameat, (int from_fd, const char *from, int to_fd, const char *to), (from_fd, from, to_fd, to), \
      -1, EXDEV)                                                                                             \
    X(int, linkat, (int from_fd, const char *from, int to_fd, const char *to, int flags),                    \
      (from_fd, from, to_fd, to, flags), -1, EPERM)                                                          \
    X(int, fstat, (int fd, struct stat *info), (fd, info), -1, EIO)                                          \
    X(int, stat, (const char *path, struct stat *info), (path, info), -1, EACCES)                            \
    X(int, lstat, (const char *path, struct stat *info), (path, info), -1, EACCES)                           \
    X(void *, mmap, (void *at, size_t size, int access, int flags, int fd, off_t offset),                    \
      (at, size, access, flags, fd, offset), MAP_FAILED, ENOMEM)                                             \
    X(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)                       \
    X(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL, ENOMEM)                                  \
    X(DIR *, opendir, (const char *path), (path), NULL, EMFILE)                                              \
    X(struct dirent *, readdir, (DIR * folder), (folder), NULL, EIO)                                         \
    X(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, EACCES)                                 \
    X(pid_t, fork, (void), (), -1, EAGAIN)                                                                   \
    X(int, pipe2, (int ends[2], int flags), (ends, flags), -1, EMFILE)                                       \
    X(ssize_t, getrandom, (void *bytes, size_t size, unsigned flags), (bytes, size, flags), -1, EAGAIN)      \
    X(char *, realpath, (const char *path, char *resolved), (path, resolved), NULL, EACCES)

#define CALL(type, name, parameters, arguments, value, error)                                                \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;                                                                           \
    type __wrap_##name parameters                                                                            \
    {                                                                                                        \
        return fails(#name, error) ? value : __real_##name arguments;                                        \
    }
CALLS(CALL)
#undef CALL

/* Closing fails after it is done. */
#define CLOSING(name, parameter, value)                                                                      \
    int __real_##name(parameter);                                                                            \
    int __wrap_##name(parameter);                                                                            \
    int __wrap_##name(parameter)                                                                             \
    {                                                                                                        \
        int result = __real_##name(value);                                                                   \
        return fails(#name, EIO) ? -1 : result;                                                              \
    }
CLOSING(close, int fd, fd)
CLOSING(fclose, FILE *file, file)
#undef CLOSING

/* Streams fail by the file behind them, so that they note it as they would. */
static void spoil(FILE *file, const char *path, int flags)
{
    int fd = fileno(file) >= 0 ? __extension__ open(path, flags | O_CLOEXEC) : -1;
    if (fd >= 0) {
        dup2(fd, fileno(file));
        close(fd);
    }
}

#define STREAM(type, name, parameters, arguments, path, flags)                                               \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;                                                                           \
    type __wrap_##name parameters                                                                            \
    {                                                                                                        \
        if (file && file != stderr && fails(#name, EIO)) {                                                   \
            spoil(file, path, flags);                                                                        \
        }                                                                                                    \
        return __real_##name arguments;                                                                      \
    }
STREAM(size_t, fread, (void *bytes, size_t size, size_t count, FILE *file), (bytes, size, count, file),
       "/dev/null", O_WRONLY)
STREAM(size_t, fwrite, (const void *bytes, size_t size, size_t count, FILE *file), (bytes, size, count, file),
       "/dev/full", O_WRONLY)
STREAM(int, fputs, (const char *text, FILE *file), (text, file), "/dev/full", O_WRONLY)
STREAM(int, fputc, (int character, FILE *file), (character, file), "/dev/full", O_WRONLY)
STREAM(int, fflush, (FILE * file), (file), "/dev/full", O_WRONLY)
#undef STREAM

#define OPENING(name, before, before_names)                                                                  \
    int __real_##name before;                                                                                \
    int __wrap_##name before;                                                                                \
    int __wrap_##name before                                                                                 \
    {                                                                                                        \
        va_list rest;                                                                                        \
        va_start(rest, flags);                                                                               \
        mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;        \
        va_end(rest);                                                                                        \
        return fails(#name, EMFILE) ? -1 : __real_##name before_names;                                       \
    }
OPENING(open, (const char *path, int flags, ...), (path, flags, mode))
OPENING(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
#undef OPENING

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return fails("fcntl", ENOLCK) ? -1 : __real_fcntl(fd, command, argument);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *data)
{
    return fails("pthread_create", EAGAIN) ? EAGAIN : __real_pthread_create(thread, attributes, run, data);
}

#define NAME(type, name, parameters, arguments, value, error) #name,
const char *const failing_calls[] = {
    "malloc", CALLS(NAME) "close", "fclose", "fread", "fwrite", "fputs", "fputc", "fflush", "open", "openat",
    "fcntl",  "pthread_create",    NULL,
};
#undef NAME

void failing_calls_watch(const char *call, unsigned number, bool is_loaded_only, atomic_uint *count)
{
    if (is_loaded_only) {
        dl_iterate_phdr(note_library, NULL);
    }
    failing_one = number;
    counted = count;
    watched = call;
}
