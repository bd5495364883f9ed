/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include "buffer.h"
#include "error.h"
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The record: a line with the digest of all that follows, lines of the inputs, then the messages. */
#define RECORD_HEAD "cubinet-inputs 1 "

static long long nanoseconds(struct timespec time)
{
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

struct timespec inputs_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_missing(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static bool digest_file(const char *path, struct cbn_digest *out_digest)
{
    char *data = NULL;
    size_t size = 0;
    if (file_read(path, &data, &size) != CUBINET_OK) {
        return false;
    }
    *out_digest = cbn_digest(data, size);
    free(data);
    return true;
}

/* Whether a source says when it was compiled: then no two compiles are the same. */
static bool tells_time(const char *data, size_t size)
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
        return is_missing(input->path);
    }
    if (stat(input->path, &about) != 0 || nanoseconds(about.st_mtim) >= start ||
        nanoseconds(about.st_ctim) >= start) {
        /* A folder changes with everything that is put into it. */
        return input->kind == INPUT_FOLDER && is_folder(input->path);
    }
    if (input->kind == INPUT_TOOLKIT) {
        input->size = about.st_size;
        input->time = nanoseconds(about.st_mtim);
        return true;
    }
    char *data = NULL;
    size_t size = 0;
    if (input->kind == INPUT_FOLDER || file_read(input->path, &data, &size) != CUBINET_OK) {
        return input->kind == INPUT_FOLDER;
    }
    input->digest = cbn_digest(data, size);
    bool certain = !tells_time(data, size);
    free(data);
    return certain;
}

static struct input *add(struct inputs *inputs, enum input_kind kind, const char *path)
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
    struct input *input = add(inputs, kind, path);
    if (!input) {
        return cbn_error_memory();
    }
    inputs->certain &= look_at(input, start) && !strchr(path, '\n');
    return CUBINET_OK;
}

cubinet_status inputs_gather(const char *source, const struct opened_files *files,
                             const struct toolkit *toolkit, struct timespec start, struct inputs *out_inputs)
{
    struct inputs inputs = {.certain = true};
    cubinet_status status = gather_one(&inputs, INPUT_FILE, source, nanoseconds(start));
    for (size_t i = 0; status == CUBINET_OK && i < files->opened_count; i++) {
        const char *path = files->opened[i];
        enum input_kind kind = toolkit_has_header(toolkit, path) ? INPUT_TOOLKIT
                               : is_folder(path)                 ? INPUT_FOLDER
                                                                 : INPUT_FILE;
        if (strcmp(path, source) != 0) {
            status = gather_one(&inputs, kind, path, nanoseconds(start));
        }
    }
    for (size_t i = 0; status == CUBINET_OK && i < files->missing_count; i++) {
        status = gather_one(&inputs, INPUT_MISSING, files->missing[i], nanoseconds(start));
    }
    if (status != CUBINET_OK) {
        inputs_free(&inputs);
        return status;
    }
    *out_inputs = inputs;
    return CUBINET_OK;
}

/* Adds the folder in which the first missing part of a path would appear. */
static cubinet_status add_folder_of(struct string_list *paths, const char *missing)
{
    char *folder = strdup(missing);
    if (!folder) {
        return cbn_error_memory();
    }
    const char *found = ".";
    for (char *slash; (slash = strrchr(folder, '/'));) {
        found = slash == folder ? "/" : folder;
        *slash = '\0';
        if (slash == folder || is_folder(folder)) {
            break;
        }
        found = ".";
    }
    cubinet_status status = string_list_add_once(paths, found);
    free(folder);
    return status;
}

static cubinet_status add_toolkit(struct string_list *paths, const struct toolkit *toolkit)
{
    cubinet_status status = string_list_add_once(paths, toolkit->nvrtc);
    if (status == CUBINET_OK && toolkit->nvjitlink) {
        status = string_list_add_once(paths, toolkit->nvjitlink);
    }
    for (size_t i = 0; status == CUBINET_OK && i < toolkit->include_count; i++) {
        status = string_list_add_once(paths, toolkit->includes[i]);
    }
    return status;
}

cubinet_status inputs_dependencies(const struct inputs *inputs, const struct toolkit *toolkit,
                                   struct string_list *out_paths)
{
    struct string_list paths = {0};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; status == CUBINET_OK && i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        if (input->kind == INPUT_FILE || input->kind == INPUT_FOLDER) {
            status = string_list_add(&paths, input->path);
        }
    }
    struct string_list folders = {0};
    for (size_t i = 0; status == CUBINET_OK && i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        if (input->kind == INPUT_MISSING && !toolkit_has_header(toolkit, input->path)) {
            status = add_folder_of(&folders, input->path);
        }
    }
    if (status == CUBINET_OK) {
        status = add_toolkit(&folders, toolkit);
    }
    for (size_t i = 0; status == CUBINET_OK && i < folders.count; i++) {
        status = string_list_add(&paths, folders.items[i]);
    }
    string_list_free(&folders);
    if (status != CUBINET_OK) {
        string_list_free(&paths);
        return status;
    }
    *out_paths = paths;
    return CUBINET_OK;
}

static void write_digest(struct buffer *text, struct cbn_digest digest)
{
    for (size_t i = 0; i < sizeof(digest.bytes); i++) {
        buffer_printf(text, "%02x", digest.bytes[i]);
    }
}

static void write_digest_line(struct buffer *text, const char *what, struct cbn_digest digest,
                              const char *path)
{
    buffer_printf(text, "%s ", what);
    write_digest(text, digest);
    buffer_printf(text, " %s\n", path);
}

static void write_input(struct buffer *text, const struct input *input)
{
    switch (input->kind) {
    case INPUT_FILE:
        write_digest_line(text, "file", input->digest, input->path);
        break;
    case INPUT_TOOLKIT:
        buffer_printf(text, "toolkit %lld %lld %s\n", input->size, input->time, input->path);
        break;
    case INPUT_FOLDER:
        buffer_printf(text, "folder %s\n", input->path);
        break;
    case INPUT_MISSING:
        buffer_printf(text, "missing %s\n", input->path);
        break;
    }
}

cubinet_status inputs_save(const struct inputs_record *record, const struct inputs *inputs,
                           const char *messages)
{
    struct cbn_digest output;
    if (!inputs->certain || !digest_file(record->output, &output)) {
        return unlink(record->path) == 0 || errno == ENOENT
                   ? CUBINET_OK
                   : cbn_error(CUBINET_ERROR_IO, "%s: cannot be removed: %s", record->path, strerror(errno));
    }
    struct buffer body = {0};
    write_digest_line(&body, "key", record->key, "");
    write_digest_line(&body, "output", output, "");
    for (size_t i = 0; i < inputs->count; i++) {
        write_input(&body, &inputs->items[i]);
    }
    buffer_printf(&body, "messages\n%s", messages);
    struct buffer text = {0};
    buffer_puts(&text, RECORD_HEAD);
    write_digest(&text, cbn_digest(body.data, body.size));
    buffer_puts(&text, "\n");
    buffer_append(&text, body.data, body.size);
    cubinet_status status =
        body.failed || text.failed ? cbn_error_memory() : file_replace(record->path, text.data, text.size);
    buffer_free(&body);
    buffer_free(&text);
    return status;
}

/* Takes the next line off `*at`, without its end; NULL at the end of the text. */
static char *take_line(char **at)
{
    char *line = *at;
    char *end = line ? strchr(line, '\n') : NULL;
    if (!end) {
        return NULL;
    }
    *end = '\0';
    *at = end + 1;
    return line;
}

/* Reads 32 hexadecimal digits and a space. */
static const char *read_digest(const char *text, struct cbn_digest *out_digest)
{
    for (size_t i = 0; i < sizeof(out_digest->bytes); i++) {
        unsigned int byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) {
            return NULL;
        }
        out_digest->bytes[i] = (unsigned char)byte;
    }
    text += 2 * sizeof(out_digest->bytes);
    return *text == ' ' ? text + 1 : NULL;
}

static const char *after(const char *line, const char *word)
{
    size_t size = strlen(word);
    return strncmp(line, word, size) == 0 ? line + size : NULL;
}

static bool same_digest(struct cbn_digest a, struct cbn_digest b)
{
    return memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}

static bool is_file_unchanged(const char *path, struct cbn_digest recorded)
{
    struct cbn_digest now;
    return digest_file(path, &now) && same_digest(now, recorded);
}

/* Reads one line's input, compares it with what is there now, and adds it. */
static bool read_input(const char *line, struct inputs *inputs)
{
    struct input *input = NULL;
    const char *rest;
    if ((rest = after(line, "file "))) {
        struct cbn_digest digest;
        const char *path = read_digest(rest, &digest);
        return path && is_file_unchanged(path, digest) && (input = add(inputs, INPUT_FILE, path)) &&
               (input->digest = digest, true);
    }
    if ((rest = after(line, "toolkit "))) {
        long long size;
        long long time;
        int start = 0;
        struct stat about;
        return sscanf(rest, "%lld %lld %n", &size, &time, &start) == 2 && start > 0 &&
               stat(rest + start, &about) == 0 && about.st_size == size &&
               nanoseconds(about.st_mtim) == time && add(inputs, INPUT_TOOLKIT, rest + start);
    }
    if ((rest = after(line, "folder "))) {
        return is_folder(rest) && add(inputs, INPUT_FOLDER, rest);
    }
    return (rest = after(line, "missing ")) && is_missing(rest) && add(inputs, INPUT_MISSING, rest);
}

/* Reads a record, cutting `text` into lines. */
static bool read_record(const struct inputs_record *record, char *text, size_t size, struct inputs *inputs,
                        char **out_messages)
{
    char *at = text;
    struct cbn_digest digest;
    const char *head = take_line(&at);
    const char *rest = head ? after(head, RECORD_HEAD) : NULL;
    char padded[2 * sizeof(digest.bytes) + 2];
    if (!rest || snprintf(padded, sizeof(padded), "%s ", rest) != sizeof(padded) - 1 ||
        !read_digest(padded, &digest) || !cbn_digest_matches(at, size - (size_t)(at - text), digest.bytes)) {
        return false;
    }
    const char *line = take_line(&at);
    if (!line || !(rest = after(line, "key ")) || !read_digest(rest, &digest) ||
        !same_digest(digest, record->key)) {
        return false;
    }
    line = take_line(&at);
    if (!line || !(rest = after(line, "output ")) || !read_digest(rest, &digest) ||
        !is_file_unchanged(record->output, digest)) {
        return false;
    }
    while ((line = take_line(&at)) && strcmp(line, "messages") != 0) {
        if (!read_input(line, inputs)) {
            return false;
        }
    }
    *out_messages = line && inputs->count > 0 ? strdup(at) : NULL;
    return *out_messages != NULL;
}

bool inputs_unchanged(const struct inputs_record *record, struct inputs *out_inputs, char **out_messages)
{
    char *text = NULL;
    size_t size = 0;
    if (file_read(record->path, &text, &size) != CUBINET_OK) {
        return false;
    }
    struct inputs inputs = {.certain = true};
    bool unchanged = read_record(record, text, size, &inputs, out_messages);
    free(text);
    if (!unchanged) {
        inputs_free(&inputs);
        return false;
    }
    *out_inputs = inputs;
    return true;
}

void inputs_free(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->items[i].path);
    }
    free(inputs->items);
    *inputs = (struct inputs){0};
}
