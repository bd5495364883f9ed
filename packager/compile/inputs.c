/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/inputs.h"

#include "base/file.h"
#include "loader/core/support/error.h"
#include "process/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

long long inputs_nanoseconds(struct timespec time)
{
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

struct timespec inputs_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now;
}

bool inputs_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool inputs_is_missing(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

bool inputs_tells_time(const char *data, size_t size)
{
    static const char *const macros[] = {"__TIME__", "__DATE__", "__TIMESTAMP__"};
    for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
        if (memmem(data, size, macros[i], strlen(macros[i]))) {
            return true;
        }
    }
    return false;
}

/* Fills an input of which path and kind are known; false if it is not certain to be what was compiled. */
static bool look_at(struct input *input, long long start)
{
    struct stat about;
    if (input->kind == INPUT_MISSING) {
        return inputs_is_missing(input->path);
    }
    if (stat(input->path, &about) != 0 || inputs_nanoseconds(about.st_mtim) >= start ||
        inputs_nanoseconds(about.st_ctim) >= start) {
        /* A folder changes with everything that is put into it. */
        return input->kind == INPUT_FOLDER && inputs_is_folder(input->path);
    }
    if (input->kind == INPUT_TOOLKIT) {
        input->size = about.st_size;
        input->time = inputs_nanoseconds(about.st_mtim);
        return true;
    }
    char *data = NULL;
    size_t size = 0;
    if (input->kind == INPUT_FILE && !S_ISREG(about.st_mode)) {
        return false; /* what came out of a pipe is gone */
    }
    if (input->kind == INPUT_FOLDER || file_read(input->path, &data, &size)) {
        return input->kind == INPUT_FOLDER;
    }
    input->digest = cbn_sha256(data, size);
    bool certain = !inputs_tells_time(data, size);
    free(data);
    return certain;
}

struct input *inputs_add(struct inputs *inputs, enum input_kind kind, const char *path)
{
    /* Room doubles at every power of two, so the count alone tells how much there is. */
    if ((inputs->count & (inputs->count - 1)) == 0) {
        size_t capacity = inputs->count ? 2 * inputs->count : 1;
        struct input *items = reallocarray(inputs->items, capacity, sizeof(*items));
        if (!items) {
            return NULL;
        }
        inputs->items = items;
    }
    struct input *input = &inputs->items[inputs->count];
    *input = (struct input){.kind = kind, .path = strdup(path)};
    inputs->count += input->path != NULL;
    return input->path ? input : NULL;
}

static cubinet_status gather_one(struct inputs *inputs, enum input_kind kind, const char *path,
                                 long long start)
{
    struct input *input = inputs_add(inputs, kind, path);
    if (!input) {
        return cbn_error_memory();
    }
    inputs->certain &= look_at(input, start) && !strchr(path, '\n');
    return CUBINET_OK;
}

cubinet_status inputs_gather(const char *source, const struct opened_files *files,
                             const struct toolkit *toolkit, struct timespec start, struct inputs *out_inputs)
{
    struct inputs inputs = {.certain = !files->replaced};
    trace_begin("digest inputs", NULL);
    cubinet_status status =
        source ? gather_one(&inputs, INPUT_FILE, source, inputs_nanoseconds(start)) : CUBINET_OK;
    for (size_t i = 0; !status && i < files->opened_count; i++) {
        const char *path = files->opened[i];
        enum input_kind kind = toolkit_has_header(toolkit, path) ? INPUT_TOOLKIT
                               : inputs_is_folder(path)          ? INPUT_FOLDER
                                                                 : INPUT_FILE;
        if (!source || strcmp(path, source) != 0) {
            status = gather_one(&inputs, kind, path, inputs_nanoseconds(start));
        }
    }
    for (size_t i = 0; !status && i < files->missing_count; i++) {
        status = gather_one(&inputs, INPUT_MISSING, files->missing[i], inputs_nanoseconds(start));
    }
    trace_end();
    if (status) {
        inputs_free(&inputs);
        return status;
    }
    *out_inputs = inputs;
    return CUBINET_OK;
}

/* Which NVRTC was kept from opening; NULL: it is a file or a folder. */
static const char *special_kind(int descriptor)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) {
        return NULL;
    }
    return S_ISFIFO(about.st_mode) ? "pipe" : "device";
}

void inputs_note_unreadable(const struct opened_files *files, struct buffer *messages)
{
    for (size_t i = 0; i < files->missing_count; i++) {
        const char *path = files->missing[i];
        int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (descriptor >= 0) {
            const char *kind = special_kind(descriptor);
            if (kind) {
                buffer_printf(messages, "%s: note: is a %s; only regular files can be included\n", path,
                              kind);
            }
            close(descriptor);
        } else if (errno != ENOENT && errno != ENOTDIR) {
            buffer_printf(messages, "%s: note: cannot be opened: %s\n", path, strerror(errno));
        }
    }
}

void inputs_free(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->items[i].path);
    }
    free(inputs->items);
    *inputs = (struct inputs){0};
}
