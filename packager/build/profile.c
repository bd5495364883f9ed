/* SPDX-License-Identifier: Apache-2.0 */
#include "build/profile.h"

#include "base/array.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "process/trace.h"
#include "process/trace_file.h"
#include "toolkit/device_headers.h"

#include <stdlib.h>
#include <string.h>

/* More headers within headers than a trace has. */
enum { DEEPEST = 256 };

struct reader {
    struct profile *profile;
    size_t process;                /* how many there were, with this one */
    struct profile_module *module; /* what this one makes; NULL: no module */
    bool precompiles;              /* what this one includes is precompiled already */
    struct {
        size_t header;
        int64_t end;
    } open[DEEPEST]; /* the headers that the next event may lie in */
    size_t depth;
    bool failed; /* no memory was left */
};

/* The number of a name in an index, which is a new one if it is as large as the index was. */
static size_t find(json_t *index, const char *name, bool *out_failed)
{
    json_t *found = json_object_get(index, name);
    if (found) {
        return (size_t)json_integer_value(found);
    }
    size_t number = json_object_size(index);
    *out_failed |= json_object_set_new(index, name, json_integer((json_int_t)number)) != 0;
    return number;
}

static struct profile_header *find_header(struct reader *reader, const char *path)
{
    struct profile *profile = reader->profile;
    size_t number = find(profile->header_index, path, &reader->failed);
    if (number == profile->header_count && !reader->failed) {
        struct profile_header *headers = array_grow(profile->headers, number, sizeof(*headers));
        if (!headers) {
            reader->failed = true;
            return NULL;
        }
        headers[number] = (struct profile_header){0};
        profile->headers = headers;
        profile->header_count++;
    }
    return reader->failed ? NULL : &profile->headers[number];
}

static struct profile_module *find_module(struct reader *reader, const char *name)
{
    struct profile *profile = reader->profile;
    size_t number = find(profile->module_index, name, &reader->failed);
    if (number == profile->module_count && !reader->failed) {
        struct profile_module *modules = array_grow(profile->modules, number, sizeof(*modules));
        if (!modules) {
            reader->failed = true;
            return NULL;
        }
        modules[number] = (struct profile_module){0};
        profile->modules = modules;
        profile->module_count++;
    }
    return reader->failed ? NULL : &profile->modules[number];
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* A number that sums of do not overflow, whatever the file says: microseconds of some thousand years. */
static int64_t number_of(const json_t *object, const char *key)
{
    const json_int_t most = (json_int_t)1 << 56;
    json_int_t number = json_integer_value(json_object_get(object, key));
    return number < 0 ? 0 : number > most ? most : (int64_t)number;
}

static int64_t duration_of(const json_t *event)
{
    const int64_t most = (int64_t)1 << 42; /* some weeks */
    int64_t duration = number_of(event, "dur");
    return duration > most ? most : duration;
}

/* Whether a header is within itself: its time is counted once. */
static bool is_open(const struct reader *reader, size_t header)
{
    for (size_t i = 0; i < reader->depth; i++) {
        if (reader->open[i].header == header) {
            return true;
        }
    }
    return false;
}

/* Whether it is the header that Cubinet has before a source, which no source includes itself. */
static bool is_implicit(const char *path)
{
    static const char end[] = "/" DEVICE_HEADERS_IMPLICIT;
    size_t size = strlen(path);
    return size >= strlen(end) && strcmp(path + size - strlen(end), end) == 0;
}

/* Headers come by their start, and those within others after them. */
static void take_header(struct reader *reader, const json_t *event)
{
    int64_t start = number_of(event, "ts");
    int64_t time = duration_of(event);
    const char *path = text_of(event, "name");
    struct profile_header *header = find_header(reader, path);
    if (!header) {
        return;
    }
    struct profile_header *headers = reader->profile->headers;
    size_t number = (size_t)(header - headers);
    while (reader->depth > 0 && reader->open[reader->depth - 1].end <= start) {
        reader->depth--;
    }
    header->self += time;
    if (!is_open(reader, number)) {
        header->inclusive += time;
    }
    header->compiles += header->last_process != reader->process;
    header->last_process = reader->process;
    if (reader->depth > 0) {
        headers[reader->open[reader->depth - 1].header].self -= time;
    } else if (!reader->precompiles && !is_implicit(path)) {
        header->direct += time;
        header->direct_compiles += header->last_direct_process != reader->process;
        header->last_direct_process = reader->process;
    }
    if (reader->depth < DEEPEST) {
        reader->open[reader->depth].header = number;
        reader->open[reader->depth++].end = start + time;
    }
}

/* Which of a module's times an event is a part of; NULL: none. */
static int64_t *time_of(struct profile_module *module, const char *category, const char *name)
{
    const struct {
        const char *category;
        const char *name;
        int64_t *time;
    } kinds[] = {
        {"phase", "NVRTC", &module->nvrtc},     {"nvrtc", "CUDA C++ Front-End", &module->front_end},
        {"nvrtc", "LibNVVM", &module->nvvm},    {"phase", "assemble", &module->assembling},
        {"phase", "link", &module->assembling},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].category, category) == 0 && strcmp(kinds[i].name, name) == 0) {
            return kinds[i].time;
        }
    }
    return NULL;
}

static void take_process(struct reader *reader, const json_t *event)
{
    const json_t *arguments = json_object_get(event, "args");
    const char *command = text_of(event, "name");
    const char *subject = text_of(arguments, "subject");
    reader->precompiles = strcmp(command, "pch") == 0;
    bool is_module = reader->precompiles || strcmp(command, "compile") == 0 || strcmp(command, "link") == 0;
    reader->process++;
    reader->depth = 0;
    reader->module = is_module && subject[0] ? find_module(reader, subject) : NULL;
    if (reader->module) {
        reader->module->compiles++;
        reader->module->total += duration_of(event);
    }
}

/* A process's events come together, the one of the process itself first. */
static void take_event(struct reader *reader, const json_t *event)
{
    const char *category = text_of(event, "cat");
    if (strcmp(category, "process") == 0) {
        take_process(reader, event);
    } else if (strcmp(category, "header") == 0) {
        take_header(reader, event);
    } else if (reader->module) {
        int64_t *time = time_of(reader->module, category, text_of(event, "name"));
        if (time) {
            *time += duration_of(event);
        }
    }
}

/* Other lines than events are the array's brackets, or what a killed process wrote of an event. */
static void read_lines(struct reader *reader, FILE *file)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;
    while (!reader->failed && (size = getline(&line, &capacity, file)) > 0) {
        while (size > 0 && strchr(",\r\n", line[size - 1])) {
            size--;
        }
        json_t *event = size > 2 ? json_loadb(line, (size_t)size, 0, NULL) : NULL;
        if (event) {
            take_event(reader, event);
        }
        json_decref(event);
    }
    free(line);
}

static int compare_headers(const void *a, const void *b)
{
    const struct profile_header *x = a;
    const struct profile_header *y = b;
    int by_time = (x->self < y->self) - (x->self > y->self);
    return by_time ? by_time : strcmp(x->path, y->path);
}

static int compare_modules(const void *a, const void *b)
{
    const struct profile_module *x = a;
    const struct profile_module *y = b;
    int by_time = (x->total < y->total) - (x->total > y->total);
    return by_time ? by_time : strcmp(x->name, y->name);
}

/* Gives everything its name, which the indices own, and its place. */
static void finish(struct profile *profile)
{
    const char *name;
    json_t *number;
    json_object_foreach(profile->header_index, name, number)
    {
        profile->headers[json_integer_value(number)].path = name;
    }
    json_object_foreach(profile->module_index, name, number)
    {
        profile->modules[json_integer_value(number)].name = name;
    }
    for (size_t i = 0; i < profile->module_count; i++) {
        const struct profile_module *module = &profile->modules[i];
        profile->all.compiles += module->compiles;
        profile->all.total += module->total;
        profile->all.nvrtc += module->nvrtc;
        profile->all.front_end += module->front_end;
        profile->all.nvvm += module->nvvm;
        profile->all.assembling += module->assembling;
    }
    if (profile->header_count > 0) {
        qsort(profile->headers, profile->header_count, sizeof(*profile->headers), compare_headers);
    }
    if (profile->module_count > 0) {
        qsort(profile->modules, profile->module_count, sizeof(*profile->modules), compare_modules);
    }
}

static cubinet_status read_file(struct reader *reader, const char *path)
{
    FILE *file;
    cubinet_status status = file_open(path, &file);
    if (status) {
        return status;
    }
    trace_begin("read JSON", NULL);
    read_lines(reader, file);
    trace_end();
    bool was_read = !ferror(file);
    fclose(file);
    if (reader->failed || json_output_is_lost()) {
        return cbn_error_memory();
    }
    if (!was_read) {
        return cbn_error(CUBINET_ERROR_IO, "cannot read the trace '%s'", path);
    }
    if (reader->process == 0) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "'%s' is not a trace of a build: set CUBINET_TRACE to a folder, and build", path);
    }
    finish(reader->profile);
    return CUBINET_OK;
}

cubinet_status profile_read(const char *path, struct profile *out_profile)
{
    struct profile profile = {.header_index = json_object(), .module_index = json_object()};
    struct reader reader = {.profile = &profile};
    char *within = NULL;
    cubinet_status status = profile.header_index && profile.module_index ? CUBINET_OK : cbn_error_memory();
    if (!status && folder_is(path) && asprintf(&within, "%s/" TRACE_FILE_NAME, path) < 0) {
        within = NULL;
        status = cbn_error_memory();
    }
    if (!status) {
        status = read_file(&reader, within ? within : path);
    }
    free(within);
    if (status) {
        profile_free(&profile);
        return status;
    }
    *out_profile = profile;
    return CUBINET_OK;
}

void profile_free(struct profile *profile)
{
    free(profile->headers);
    free(profile->modules);
    json_decref(profile->header_index);
    json_decref(profile->module_index);
    *profile = (struct profile){0};
}
