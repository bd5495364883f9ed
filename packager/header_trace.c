/* SPDX-License-Identifier: Apache-2.0 */
#include "header_trace.h"

#include "trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Beyond that many headers within headers there are none that are told. */
enum { DEEPEST = 200 };

struct header {
    FILE *stream;
    char *path;
    int64_t start;
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

void header_trace_opened(const char *path, FILE *stream)
{
    if (!trace_is_on()) {
        return;
    }
    pthread_mutex_lock(&headers.lock);
    char *copy = is_header(path) && headers.depth < DEEPEST ? strdup(path) : NULL;
    if (copy) {
        headers.open[headers.depth++] = (struct header){stream, copy, trace_now()};
        tell_innermost();
    }
    pthread_mutex_unlock(&headers.lock);
}

/* Takes the header at an index out. A file of which nothing was read was only asked for, by __has_include. */
static void close_header(size_t index)
{
    struct header header = headers.open[index];
    memmove(&headers.open[index], &headers.open[index + 1],
            (headers.depth - index - 1) * sizeof(headers.open[0]));
    headers.depth--;
    if (ftell(header.stream) > 0) {
        trace_span("header", header.path, NULL, header.start, trace_now());
    }
    free(header.path);
    tell_innermost();
}

void header_trace_closed(FILE *stream)
{
    if (!trace_is_on()) {
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
