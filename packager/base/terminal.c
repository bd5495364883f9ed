/* SPDX-License-Identifier: Apache-2.0 */
#include "base/terminal.h"

#include "loader/core/support/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHARACTER_MAX = 4 };

struct output {
    FILE *escaped; /* stays: libraries that are opened meanwhile may flush it when the process ends */
    FILE *file;    /* where it goes */
    bool is_raw;
    char start[CHARACTER_MAX]; /* of a character whose other bytes come with the next ones */
    size_t start_size;
    char buffer[64 << 10]; /* what goes there at once, so that a message is one write: others print, too */
    size_t size;
};

static struct output output;
static struct output errors;

static void flush(struct output *to)
{
    fwrite(to->buffer, 1, to->size, to->file);
    to->size = 0;
}

static void put(struct output *to, const char *bytes, size_t size)
{
    if (size > sizeof(to->buffer) - to->size) {
        flush(to);
    }
    if (size > sizeof(to->buffer)) {
        fwrite(bytes, 1, size, to->file);
    } else {
        memcpy(to->buffer + to->size, bytes, size);
        to->size += size;
    }
}

static void put_text(struct output *to, const char *text, size_t size)
{
    while (size > 0) {
        size_t taken = cbn_text_plain(text, size, CBN_TEXT_LINE | CBN_TEXT_TAB);
        put(to, text, taken);
        text += taken;
        size -= taken;
        if (size > 0) {
            char escape[CBN_TEXT_ESCAPE_SIZE];
            bool ends_line = size > 1 && text[0] == '\r' && text[1] == '\n';
            taken = cbn_text_escape(text, size, escape);
            put(to, escape, ends_line ? 0 : strlen(escape));
            text += taken;
            size -= taken;
        }
    }
}

/* How many bytes at the end are the start of a character that goes on after it. */
static size_t unfinished(const char *text, size_t size)
{
    for (size_t i = 1; i < CHARACTER_MAX && i <= size; i++) {
        unsigned char byte = (unsigned char)text[size - i];
        if (byte >= 0xc0) {
            size_t wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
            return wanted > i ? i : 0;
        }
        if (byte < 0x80) {
            return 0;
        }
    }
    return 0;
}

/* All that is printed ends with a line, so nothing stays in `start`. */
static void put_part(struct output *to, const char *text, size_t size)
{
    while (to->start_size > 0 && size > 0) {
        to->start[to->start_size++] = *text++;
        size--;
        if (unfinished(to->start, to->start_size) < to->start_size) {
            put_text(to, to->start, to->start_size);
            to->start_size = 0;
        }
    }
    size_t rest = unfinished(text, size);
    put_text(to, text, size - rest);
    for (size_t i = size - rest; i < size; i++) {
        to->start[to->start_size++] = text[i];
    }
}

static ssize_t take(void *cookie, const char *text, size_t size)
{
    struct output *to = cookie;
    if (to->is_raw) {
        put(to, text, size);
    } else {
        put_part(to, text, size);
    }
    flush(to);
    return fflush(to->file) == 0 && !ferror(to->file) ? (ssize_t)size : 0;
}

/* Without memory for a stream nothing is escaped. */
static void start(FILE **stream, struct output *to, int buffering)
{
    if (!to->escaped) {
        to->escaped = fopencookie(to, "w", (cookie_io_functions_t){.write = take});
        if (!to->escaped) {
            return;
        }
        setvbuf(to->escaped, NULL, buffering, BUFSIZ);
    }
    clearerr(to->escaped);
    to->file = *stream;
    to->start_size = 0;
    *stream = to->escaped;
}

void terminal_start(void)
{
    start(&stdout, &output, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    start(&stderr, &errors, _IONBF);
}

static void finish(FILE **stream, const struct output *to)
{
    if (to->escaped && *stream == to->escaped) {
        fflush(*stream);
        *stream = to->file;
    }
}

void terminal_finish(void)
{
    finish(&stdout, &output);
    finish(&stderr, &errors);
}

/* stdout's and stderr's own streams are written to as they are. */
static void send(FILE *stream, const void *bytes, size_t size)
{
    struct output *to = stream == errors.escaped ? &errors : stream == output.escaped ? &output : NULL;
    fflush(stream);
    if (to) {
        to->is_raw = true;
    }
    fwrite(bytes, 1, size, stream);
    fflush(stream);
    if (to) {
        to->is_raw = false;
    }
}

void terminal_bytes(const void *bytes, size_t size)
{
    send(stdout, bytes, size);
}

void terminal_control(FILE *stream, const char *sequence)
{
    send(stream, sequence, strlen(sequence));
}
