/* SPDX-License-Identifier: Apache-2.0 */
#include "allocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What the linker puts in place of the C library's functions. They are visible because it takes those of a
 * shared library for users of them too. */
#define WRAPPED(type, name, parameters, arguments)                                                           \
    type __real_##name parameters;                                                                           \
    __attribute__((visibility("default"))) type __wrap_##name parameters;                                    \
    type __wrap_##name parameters                                                                            \
    {                                                                                                        \
        return fails() ? NULL : __real_##name arguments;                                                     \
    }

static atomic_bool is_watching;
static atomic_uint made;
static atomic_uint failing_one;

static bool fails(void)
{
    return atomic_load(&is_watching) && atomic_fetch_add(&made, 1) + 1 == atomic_load(&failing_one);
}

WRAPPED(void *, malloc, (size_t size), (size))
WRAPPED(void *, calloc, (size_t count, size_t size), (count, size))
WRAPPED(void *, realloc, (void *memory, size_t size), (memory, size))
WRAPPED(void *, reallocarray, (void *memory, size_t count, size_t size), (memory, count, size))
WRAPPED(char *, strdup, (const char *text), (text))
WRAPPED(char *, strndup, (const char *text, size_t size), (text, size))
WRAPPED(FILE *, open_memstream, (char **text, size_t *size), (text, size))

int __real_posix_memalign(void **out, size_t alignment, size_t size);
__attribute__((visibility("default"))) int __wrap_posix_memalign(void **out, size_t alignment, size_t size);

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    return fails() ? ENOMEM : __real_posix_memalign(out, alignment, size);
}

void allocations_watch(unsigned int failing)
{
    atomic_store(&made, 0);
    atomic_store(&failing_one, failing);
    atomic_store(&is_watching, true);
}

unsigned int allocations_made(void)
{
    return atomic_load(&made);
}

unsigned int allocations_stop(void)
{
    atomic_store(&is_watching, false);
    return allocations_made();
}
