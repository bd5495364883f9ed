/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of glibc that came after 2.17 and that Cubinet calls. build.sh has every source include this
 * first, so it brings no names but these: what it calls of libc, it declares by names of its own. */
#ifndef OLD_GLIBC_H
#define OLD_GLIBC_H

#include <asm/unistd.h>
#include <errno.h>

extern void *old_glibc_realloc(void *bytes, unsigned long size) __asm__("realloc");
extern long old_glibc_syscall(long number, ...) __asm__("syscall");

static inline void *old_glibc_reallocarray(void *array, unsigned long count, unsigned long size)
{
    if (size && count > ~0ul / size) {
        errno = ENOMEM;
        return (void *)0;
    }
    return old_glibc_realloc(array, count * size);
}

/* The compiler must not leave it out though nothing reads the bytes again. */
static inline void old_glibc_explicit_bzero(void *bytes, unsigned long size)
{
    __builtin_memset(bytes, 0, size);
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

static inline long old_glibc_getrandom(void *bytes, unsigned long size, unsigned int flags)
{
    return old_glibc_syscall(__NR_getrandom, bytes, size, flags);
}

static inline int old_glibc_memfd_create(const char *name, unsigned int flags)
{
    return (int)old_glibc_syscall(__NR_memfd_create, name, flags);
}

static inline int old_glibc_gettid(void)
{
    return (int)old_glibc_syscall(__NR_gettid);
}

/* Some headers declare these for every release. Then they declare the ones above. */
#define reallocarray   old_glibc_reallocarray
#define explicit_bzero old_glibc_explicit_bzero
#define getrandom      old_glibc_getrandom
#define memfd_create   old_glibc_memfd_create
#define gettid         old_glibc_gettid

#endif
