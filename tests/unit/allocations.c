/* SPDX-License-Identifier: Apache-2.0 */
#include "allocations.h"
#include "unit.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
WRAPPED(FILE *, fopencookie, (void *cookie, const char *mode, cookie_io_functions_t functions),
        (cookie, mode, functions))

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

unsigned int allocations_fail_each(cubinet_status (*run)(void *data), void *data, cubinet_status expected)
{
    unsigned int failures = 0;
    bool is_over = false;
    assert_int_equal(run(data), expected);
    char *message = strdup(cubinet_error_message());
    assert_non_null(message);
    for (unsigned int number = 1; !is_over; number++) {
        allocations_watch(number);
        cubinet_status status = run(data);
        is_over = allocations_stop() < number;
        bool is_out = status == CUBINET_ERROR_OUT_OF_MEMORY && !is_over;
        bool is_lost = !is_over && strcmp(cubinet_error_message(), "out of memory") == 0;
        assert_int_equal(status, is_out ? CUBINET_ERROR_OUT_OF_MEMORY : expected);
        assert_string_equal(cubinet_error_message(), is_lost ? "out of memory" : message);
        failures += is_out;
    }
    free(message);
    return failures;
}
