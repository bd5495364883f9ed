/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/nvrtc_trace.h"

#include "base/folder.h"
#include "interpose/header_trace.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"
#include "process/trace.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TIME_TRACE_RELEASE = 12050, /* whose NVRTC takes -fdevice-time-trace */
    /* What is shorter is left out: of thousands of functions most take a few microseconds. */
    SHORTEST_MICROSECONDS = 500,
};

static const char option[] = "-fdevice-time-trace=";

/* An option without its dashes. */
static const char *name_of(const char *text)
{
    return text + strspn(text, "-");
}

/* Whether NVRTC can write a trace of a job. One that asks for its own has that. NVRTC takes no precompiled
 * headers that were made with a trace without one, or the other way round, and they are to serve builds with
 * and without. */
static bool can_trace(const struct nvrtc *nvrtc, const struct nvrtc_job *job)
{
    for (size_t i = 0; i < job->option_count; i++) {
        const char *name = name_of(job->options[i]);
        if (cbn_starts_with(name, name_of(option)) || cbn_starts_with(name, "use-pch=") ||
            cbn_starts_with(name, "create-pch=")) {
            return false;
        }
    }
    return nvrtc->version >= TIME_TRACE_RELEASE;
}

/* Where NVRTC shall write: it adds ".json". */
static cubinet_status add_option(struct nvrtc_trace *trace)
{
    static unsigned count;
    char *folder = realpath(trace_folder(), NULL);
    if (!folder) {
        return CUBINET_OK; /* without the folder there will be no trace at all, and a warning of that */
    }
    int made = asprintf(&trace->path, "%s/nvrtc-%ld-%u.json", folder, (long)getpid(), count++);
    free(folder);
    if (made < 0) {
        trace->path = NULL;
        return cbn_error_memory();
    }
    int length = (int)(strlen(trace->path) - strlen(".json"));
    return cbn_text_list_addf(&trace->options, "%s%.*s", option, length, trace->path);
}

/* What the job has of --use-pch=FILE; NULL: it has none. */
static const char *precompiled_header(const struct nvrtc_job *job)
{
    static const char use[] = "use-pch=";
    for (size_t i = 0; i < job->option_count; i++) {
        const char *name = name_of(job->options[i]);
        if (cbn_starts_with(name, use)) {
            return name + strlen(use);
        }
    }
    return NULL;
}

cubinet_status nvrtc_trace_begin(const struct nvrtc *nvrtc, const struct nvrtc_job *job,
                                 struct nvrtc_trace *out_trace)
{
    struct nvrtc_trace trace = {0};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < job->option_count; i++) {
        status = cbn_text_list_add(&trace.options, job->options[i]);
    }
    if (!status && trace_folder() && can_trace(nvrtc, job) && !folder_make_all(trace_folder())) {
        status = add_option(&trace);
    }
    if (status) {
        cbn_text_list_free(&trace.options);
        return status;
    }
    header_trace_start(precompiled_header(job));
    trace.start = trace_now();
    *out_trace = trace;
    return CUBINET_OK;
}

/* Of headers header_trace.h knows better. */
static void take_event(const struct nvrtc_trace *trace, const json_t *event)
{
    const char *name = json_string_value(json_object_get(event, "name"));
    const char *detail = json_string_value(json_object_get(json_object_get(event, "args"), "detail"));
    json_int_t start = json_integer_value(json_object_get(event, "ts"));
    json_int_t duration = json_integer_value(json_object_get(event, "dur"));
    if (name && strcmp(name, "Processing Header File") != 0 && duration >= SHORTEST_MICROSECONDS) {
        trace_span("nvrtc", name, detail, trace->start + start, trace->start + start + duration);
    }
}

/* Not by open(), which would make the file an input of the compile: opened_files.c. A compile that fails
 * leaves no file. */
static json_t *read_document(const char *path)
{
    int descriptor = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
    if (!file) {
        close(descriptor);
        return NULL;
    }
    json_t *document = json_loadf(file, 0, NULL);
    fclose(file);
    return document;
}

static void take_events(const struct nvrtc_trace *trace)
{
    json_t *document = read_document(trace->path);
    json_t *event;
    size_t index;
    json_array_foreach(json_object_get(document, "traceEvents"), index, event)
    {
        take_event(trace, event);
    }
    json_decref(document);
    unlink(trace->path);
}

void nvrtc_trace_end(struct nvrtc_trace *trace)
{
    header_trace_stop();
    if (trace->path) {
        take_events(trace);
    }
    free(trace->path);
    cbn_text_list_free(&trace->options);
}
