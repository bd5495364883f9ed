/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `size` more bytes and a NUL. */
static bool reserve(struct buffer *buffer, size_t size)
{
    if (buffer->failed || size >= SIZE_MAX - buffer->size) {
        buffer->failed = true;
        return false;
    }
    size_t needed = buffer->size + size + 1;
    if (needed <= buffer->capacity) {
        return true;
    }
    size_t capacity = buffer->capacity < SIZE_MAX / 2 ? buffer->capacity * 2 : SIZE_MAX;
    if (capacity < needed) {
        capacity = needed < 64 ? 64 : needed;
    }
    char *data = realloc(buffer->data, capacity);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    if (!reserve(buffer, size)) {
        return;
    }
    if (size > 0) {
        memcpy(buffer->data + buffer->size, bytes, size);
    }
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

void buffer_puts(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, strlen(text));
}

void buffer_vprintf(struct buffer *buffer, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0 || !reserve(buffer, (size_t)length)) {
        buffer->failed = true;
        return;
    }
    vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, args);
    buffer->size += (size_t)length;
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buffer_vprintf(buffer, format, args);
    va_end(args);
}

char *buffer_take(struct buffer *buffer)
{
    if (!buffer->failed && !buffer->data) {
        buffer_append(buffer, "", 0);
    }
    char *data = buffer->data;
    if (buffer->failed) {
        free(data);
        data = NULL;
    }
    *buffer = (struct buffer){0};
    return data;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}
