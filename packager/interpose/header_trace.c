/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/header_trace.h"

#include "process/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Beyond that many headers within headers there are none that are told. */
enum { DEEPEST = 200 };

struct header {
    FILE *stream; /* NULL: closed while another one is read */
    char *path;
    int64_t start;
    int64_t last; /* when it was last known to be read */
    bool is_read; /* something was read of it */
};

static struct {
    pthread_mutex_t lock;
    bool on;
    const char *precompiled;
    struct header open[DEEPEST];
    size_t depth;
} headers = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The file that is being read is the innermost. */
static void tell_innermost(void)
{
    trace_reading(headers.depth > 0 ? headers.open[headers.depth - 1].path : NULL);
}

static void watch(bool on, const char *precompiled)
{
    pthread_mutex_lock(&headers.lock);
    while (headers.depth > 0) {
        free(headers.open[--headers.depth].path);
    }
    headers.on = on;
    headers.precompiled = precompiled;
    tell_innermost();
    pthread_mutex_unlock(&headers.lock);
}

void header_trace_start(const char *precompiled)
{
    watch(true, precompiled);
}

void header_trace_stop(void)
{
    watch(false, NULL);
}

static bool is_header(const char *path)
{
    return headers.on && !(headers.precompiled && strcmp(path, headers.precompiled) == 0);
}

/* The innermost header ends. A file of which nothing was read was only asked for, by __has_include. */
static void end_innermost(int64_t time)
{
    struct header *header = &headers.open[--headers.depth];
    if (header->is_read) {
        trace_span("header", header->path, NULL, header->start, time);
    }
    free(header->path);
    if (headers.depth > 0) {
        headers.open[headers.depth - 1].last = time;
    }
}

/* Takes a file for the next header, or for the one that is opened again. */
static void open_header(const char *path, FILE *stream)
{
    while (headers.depth > 0 && !headers.open[headers.depth - 1].stream) {
        struct header *header = &headers.open[headers.depth - 1];
        if (strcmp(header->path, path) == 0) {
            header->stream = stream;
            return;
        }
        end_innermost(header->last); /* it had no more text */
    }
    char *copy = headers.depth < DEEPEST ? strdup(path) : NULL;
    if (copy) {
        int64_t now = trace_now();
        headers.open[headers.depth++] = (struct header){stream, copy, now, now, false};
    }
}

void header_trace_opened(const char *path, FILE *stream)
{
    if (!trace_follows_headers()) {
        return;
    }
    pthread_mutex_lock(&headers.lock);
    if (is_header(path)) {
        open_header(path, stream);
        tell_innermost();
    }
    pthread_mutex_unlock(&headers.lock);
}

/* Whether another file is open that was opened after the one at an index. */
static bool has_open_within(size_t index)
{
    for (size_t i = index + 1; i < headers.depth; i++) {
        if (headers.open[i].stream) {
            return true;
        }
    }
    return false;
}

/* The header at an index is closed: at its end, or for as long as those within it are read. */
static void close_header(size_t index)
{
    struct header *header = &headers.open[index];
    header->is_read |= ftell(header->stream) > 0;
    header->stream = NULL;
    if (has_open_within(index)) {
        return;
    }
    while (headers.depth > index + 1) {
        end_innermost(headers.open[headers.depth - 1].last);
    }
    end_innermost(trace_now());
    tell_innermost();
}

void header_trace_closed(FILE *stream)
{
    if (!trace_follows_headers()) {
        return;
    }
    pthread_mutex_lock(&headers.lock);
    for (size_t i = headers.depth; i > 0; i--) {
        if (headers.open[i - 1].stream == stream) {
            close_header(i - 1);
            break;
        }
    }
    pthread_mutex_unlock(&headers.lock);
}
