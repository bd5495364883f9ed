/* SPDX-License-Identifier: Apache-2.0 */
#include "process/trace.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/command.h"
#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "process/trace_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEEPEST = 32 };

struct trace_span {
    const char *category;
    char *name;
    char *detail; /* NULL: none */
    pid_t thread;
    int64_t start;
    int64_t end;
};

static struct {
    const char *folder;        /* NULL: nothing is noted */
    struct trace_shown *shown; /* NULL: nobody looks */
    const char *command;
    int64_t clock; /* what to add to the monotonic clock */
    int64_t start; /* of the process */
    pid_t thread;  /* that main() runs in; of a child's trace, its parent's */
    pthread_mutex_t lock;
    struct trace_span *spans;
    size_t span_count;
    char *name;
    char *targets;
    bool failed; /* no memory was left */
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The phases that a thread is in. Deeper ones are only counted. */
static _Thread_local struct {
    struct trace_span open[DEEPEST];
    size_t depth;
} thread;

static int64_t microseconds(clockid_t clock)
{
    enum { PER_SECOND = 1000000, NANOSECONDS = 1000 };
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * PER_SECOND + time.tv_nsec / NANOSECONDS;
}

int64_t trace_now(void)
{
    return microseconds(CLOCK_MONOTONIC) + trace.clock;
}

bool trace_is_on(void)
{
    return trace.folder || trace.shown;
}

bool trace_follows_headers(void)
{
    return trace.folder || (trace.shown && trace.shown->has_reading);
}

const char *trace_folder(void)
{
    return trace.folder;
}

static void span_free(struct trace_span *span)
{
    free(span->name);
    free(span->detail);
}

/* Takes the span's texts over. */
static void keep(struct trace_span *span)
{
    if (!trace.folder) {
        span_free(span);
        return;
    }
    pthread_mutex_lock(&trace.lock);
    struct trace_span *spans = span->name ? array_grow(trace.spans, trace.span_count, sizeof(*spans)) : NULL;
    if (spans) {
        trace.spans = spans;
        spans[trace.span_count++] = *span;
    } else {
        trace.failed = true;
        span_free(span);
    }
    pthread_mutex_unlock(&trace.lock);
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void show_text(char *to, size_t size, const char *text)
{
    to[0] = '\0';
    strncat(to, text ? text : "", size - 1);
}

/* Shows the calling thread's phase. */
static void show_phase(void)
{
    if (trace.shown && thread.depth > 0 && thread.depth <= DEEPEST) {
        const struct trace_span *span = &thread.open[thread.depth - 1];
        show_text(trace.shown->phase, sizeof(trace.shown->phase), span->name);
        show_text(trace.shown->detail, sizeof(trace.shown->detail), span->detail);
    }
}

void trace_show(struct trace_shown *shown)
{
    trace.shown = shown;
}

void trace_reading(const char *path)
{
    if (trace.shown) {
        show_text(trace.shown->reading, sizeof(trace.shown->reading), path);
    }
}

void trace_begin(const char *phase, const char *detail)
{
    if (!trace_is_on()) {
        return;
    }
    if (thread.depth < DEEPEST) {
        thread.open[thread.depth] =
            (struct trace_span){"phase", copy(phase), copy(detail), gettid(), trace_now(), 0};
    }
    thread.depth++;
    show_phase();
}

void trace_end(void)
{
    if (!trace_is_on() || thread.depth == 0) {
        return;
    }
    thread.depth--;
    if (thread.depth < DEEPEST) {
        thread.open[thread.depth].end = trace_now();
        keep(&thread.open[thread.depth]);
    }
    show_phase();
}

void trace_span(const char *category, const char *name, const char *detail, int64_t start, int64_t end)
{
    if (trace.folder) {
        struct trace_span span = {category, copy(name), copy(detail), gettid(), start, end};
        keep(&span);
    }
}

void trace_subject(const char *name, const char *targets)
{
    if (!trace.folder) {
        return;
    }
    pthread_mutex_lock(&trace.lock);
    free(trace.name);
    free(trace.targets);
    trace.name = copy(name);
    trace.targets = copy(targets);
    pthread_mutex_unlock(&trace.lock);
}

/* The processor time that the process has had by now went to the dynamic loader. */
void trace_start(const char *command)
{
    const char *folder = getenv("CUBINET_TRACE");
    if (!folder || !*folder) {
        return;
    }
    trace.command = command ? command : "cubinet";
    trace.clock = microseconds(CLOCK_REALTIME) - microseconds(CLOCK_MONOTONIC);
    int64_t now = trace_now();
    trace.start = now - microseconds(CLOCK_PROCESS_CPUTIME_ID);
    trace.folder = folder;
    trace.thread = gettid();
    trace_span("phase", "start-up", NULL, trace.start, now);
}

/* One event is one line: trace_file.h. Takes the event over. */
static void write_event(struct buffer *events, json_t *event)
{
    char *text = json_output_dump(event, JSON_COMPACT);
    if (text) {
        buffer_puts(events, events->size > 0 ? ",\n" : "");
        buffer_puts(events, text);
    }
    events->failed |= !text;
    free(text);
}

static void write_span(struct buffer *events, const struct trace_span *span)
{
    json_t *arguments = span->detail ? json_pack("{s:o}", "detail", json_output_text(span->detail)) : NULL;
    write_event(events,
                json_pack("{s:s, s:s, s:o, s:I, s:I, s:i, s:i, s:o*}", "ph", "X", "cat", span->category,
                          "name", json_output_text(span->name), "ts", (json_int_t)span->start, "dur",
                          (json_int_t)(span->end - span->start), "pid", (int)getpid(), "tid",
                          (int)(span->thread == trace.thread ? getpid() : span->thread), "args", arguments));
}

/* The name that the viewers show for the process. */
static json_t *title(void)
{
    struct buffer text = {0};
    const char *const words[] = {trace.command, trace.name, trace.targets};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && words[i]; i++) {
        buffer_printf(&text, "%s%s", i ? " " : "", words[i]);
    }
    return json_output_buffer(&text);
}

static void write_process(struct buffer *events, int exit_status)
{
    json_t *arguments = json_pack("{s:s, s:i}", "command", trace.command, "exit_status", exit_status);
    if (trace.name) {
        json_object_set_new(arguments, "subject", json_output_text(trace.name));
    }
    if (trace.targets) {
        json_object_set_new(arguments, "targets", json_output_text(trace.targets));
    }
    int process = (int)getpid();
    write_event(events, json_pack("{s:s, s:s, s:i, s:i, s:{s:o}}", "ph", "M", "name", "process_name", "pid",
                                  process, "tid", process, "args", "name", title()));
    write_event(events, json_pack("{s:s, s:s, s:s, s:I, s:I, s:i, s:i, s:o}", "ph", "X", "cat", "process",
                                  "name", trace.command, "ts", (json_int_t)trace.start, "dur",
                                  (json_int_t)(trace_now() - trace.start), "pid", process, "tid", process,
                                  "args", arguments));
}

void trace_forget(void)
{
    for (size_t i = 0; i < trace.span_count; i++) {
        span_free(&trace.spans[i]);
    }
    free(trace.spans);
    free(trace.name);
    free(trace.targets);
    trace.spans = NULL;
    trace.span_count = 0;
    trace.name = NULL;
    trace.targets = NULL;
    trace.folder = NULL;
}

static int compare_spans(const void *a, const void *b)
{
    const struct trace_span *x = a;
    const struct trace_span *y = b;
    if (x->thread != y->thread) {
        return x->thread < y->thread ? -1 : 1;
    }
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return (x->end < y->end) - (x->end > y->end);
}

/* Has a span lie in the outer one or after it; says whether it lies in it. */
static bool fit(struct trace_span *outer, struct trace_span *span)
{
    if (outer->thread != span->thread || outer->end <= span->start) {
        return false;
    }
    if (span->end > outer->end && strcmp(outer->category, "nvrtc") == 0) {
        outer->end = span->start;
        return false;
    }
    if (span->end > outer->end) {
        span->end = outer->end;
    }
    return true;
}

/* Sorts spans by thread and start, those that hold others before them, and cuts what overlaps in part, which
 * viewers drop. Of two the one of category "nvrtc" is cut: NVRTC's clock starts some microseconds after ours.
 * False if memory is out. */
static bool nest(struct trace_span *spans, size_t count)
{
    struct trace_span **open = calloc(count + 1, sizeof(struct trace_span *));
    size_t depth = 0;
    if (!open) {
        return false;
    }
    if (count > 0) {
        qsort(spans, count, sizeof(*spans), compare_spans);
    }
    for (size_t i = 0; i < count; i++) {
        while (depth > 0 && !fit(open[depth - 1], &spans[i])) {
            depth--;
        }
        open[depth++] = &spans[i];
    }
    free(open);
    return true;
}

void trace_finish(int exit_status)
{
    struct buffer events = {0};
    if (!trace.folder) {
        return;
    }
    trace.failed |= !nest(trace.spans, trace.span_count);
    write_process(&events, exit_status);
    for (size_t i = 0; i < trace.span_count; i++) {
        write_span(&events, &trace.spans[i]);
    }
    cubinet_status status = trace.failed || events.failed
                                ? cbn_error_memory()
                                : trace_file_append(trace.folder, events.data, events.size);
    if (status) {
        command_warning("the trace lacks this process: %s", cubinet_error_message());
    }
    buffer_free(&events);
    trace_forget();
}
