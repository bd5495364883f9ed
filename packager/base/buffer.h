/* SPDX-License-Identifier: Apache-2.0 */
/* A growing run of bytes. Running out of memory is remembered, not reported at each append: check once, at
 * the end. */
#ifndef BUFFER_H
#define BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buffer {
    char *data;  /* NUL-terminated once anything was appended; the NUL is not counted in size */
    size_t size; /* bytes */
    size_t capacity;
    bool failed; /* an append ran out of memory; later appends do nothing */
};

/* Zero-initialise to start. */
void buffer_append(struct buffer *buffer, const void *bytes, size_t size);
void buffer_puts(struct buffer *buffer, const char *text);
__attribute__((format(printf, 2, 3))) void buffer_printf(struct buffer *buffer, const char *format, ...);
__attribute__((format(printf, 2, 0))) void buffer_vprintf(struct buffer *buffer, const char *format,
                                                          va_list args);

/* The bytes, which the caller frees, and an empty buffer left behind; NULL if an append failed. */
char *buffer_take(struct buffer *buffer);
void buffer_free(struct buffer *buffer);

#endif
