/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC without anything of Cubinet between. What fails ends the process, with a message. */
#ifndef NVRTC_CALLS_H
#define NVRTC_CALLS_H

#include <stddef.h>

typedef void *program;

/* All but `say` give 0 when they succeed. */
extern struct nvrtc_calls {
    const char *(*say)(int);
    int (*create)(program *, const char *, const char *, int, const char *const *, const char *const *);
    int (*name)(program, const char *);
    int (*lowered)(program, const char *, const char **);
    int (*compile)(program, int, const char *const *);
    int (*log_size)(program, size_t *);
    int (*log)(program, char *);
    int (*ptx_size)(program, size_t *);
    int (*ptx)(program, char *);
} nvrtc;

void bench_open_nvrtc(const char *path);

/* A function of a library, into a pointer to a function. */
void bench_resolve(void *library, const char *name, void *out_function);

_Noreturn void bench_fail(const char *what, const char *why);

/* Zeros, which the caller frees, or nobody: the programs are short-lived. */
void *bench_allocate(size_t size);

/* A file of up to 4 MiB, with a NUL. */
char *bench_read_text(const char *path);

#endif
