/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a compile's inputs: saving it, and comparing it with what is there. */
#include "compile/inputs.h"

#include "base/atomic_file.h"
#include "base/buffer.h"
#include "base/file.h"
#include "loader/core/archive/digest.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line with the digest of all that follows, lines of the inputs, then the messages. */
#define RECORD_HEAD "cubinet-inputs 2 "

void inputs_write_digest(struct buffer *text, const unsigned char *digest, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        buffer_printf(text, "%02x", digest[i]);
    }
}

static void write_digest_line(struct buffer *text, const char *what, struct cbn_sha256 digest,
                              const char *path)
{
    buffer_printf(text, "%s ", what);
    inputs_write_digest(text, digest.bytes, sizeof(digest.bytes));
    buffer_printf(text, " %s\n", path);
}

void inputs_write_line(struct buffer *text, const struct input *input)
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
    struct cbn_sha256 output;
    if (!inputs->certain || file_sha256(record->output, &output)) {
        return unlink(record->path) == 0 || errno == ENOENT
                   ? CUBINET_OK
                   : cbn_error(CUBINET_ERROR_IO, "%s: cannot be removed: %s", record->path, strerror(errno));
    }
    struct buffer body = {0};
    write_digest_line(&body, "key", record->key, "");
    write_digest_line(&body, "output", output, "");
    for (size_t i = 0; i < inputs->count; i++) {
        inputs_write_line(&body, &inputs->items[i]);
    }
    buffer_printf(&body, "messages\n%s", messages);
    struct buffer text = {0};
    buffer_puts(&text, RECORD_HEAD);
    struct cbn_digest whole = cbn_digest(body.data, body.size);
    inputs_write_digest(&text, whole.bytes, sizeof(whole.bytes));
    buffer_puts(&text, "\n");
    buffer_append(&text, body.data, body.size);
    cubinet_status status = body.failed || text.failed
                                ? cbn_error_memory()
                                : file_replace_how(record->path, text.data, text.size, ATOMIC_FILE_UNSYNCED);
    buffer_free(&body);
    buffer_free(&text);
    return status;
}

/* Takes the next line off `*at`, without its end; NULL at the end of the text. */
char *inputs_take_line(char **at)
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

const char *inputs_read_digest(const char *text, unsigned char *out_digest, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned int byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) {
            return NULL;
        }
        out_digest[i] = (unsigned char)byte;
    }
    text += 2 * size;
    return *text == ' ' ? text + 1 : NULL;
}

static const char *after(const char *line, const char *word)
{
    size_t size = strlen(word);
    return strncmp(line, word, size) == 0 ? line + size : NULL;
}

static bool is_file_unchanged(const char *path, const struct cbn_sha256 *recorded)
{
    struct cbn_sha256 now;
    return !file_sha256(path, &now) && cbn_sha256_equal(&now, recorded);
}

static const char *read_sha256(const char *text, struct cbn_sha256 *out_digest)
{
    return inputs_read_digest(text, out_digest->bytes, sizeof(out_digest->bytes));
}

/* Reads one line's input, compares it with what is there now, and adds it. */
bool inputs_read_line(const char *line, struct inputs *inputs)
{
    struct input *input = NULL;
    const char *rest;
    if ((rest = after(line, "file "))) {
        struct cbn_sha256 digest;
        const char *path = read_sha256(rest, &digest);
        return path && is_file_unchanged(path, &digest) && (input = inputs_add(inputs, INPUT_FILE, path)) &&
               (input->digest = digest, true);
    }
    if ((rest = after(line, "toolkit "))) {
        long long size;
        long long time;
        int start = 0;
        struct stat about;
        return sscanf(rest, "%lld %lld %n", &size, &time, &start) == 2 && start > 0 &&
               stat(rest + start, &about) == 0 && about.st_size == size &&
               inputs_nanoseconds(about.st_mtim) == time && inputs_add(inputs, INPUT_TOOLKIT, rest + start);
    }
    if ((rest = after(line, "folder "))) {
        return inputs_is_folder(rest) && inputs_add(inputs, INPUT_FOLDER, rest);
    }
    return (rest = after(line, "missing ")) && inputs_is_missing(rest) &&
           inputs_add(inputs, INPUT_MISSING, rest);
}

/* Reads a record, cutting `text` into lines. */
static bool read_record(const struct inputs_record *record, char *text, size_t size, struct inputs *inputs,
                        char **out_messages)
{
    char *at = text;
    struct cbn_digest whole;
    struct cbn_sha256 digest;
    const char *head = inputs_take_line(&at);
    const char *rest = head ? after(head, RECORD_HEAD) : NULL;
    char padded[2 * sizeof(whole.bytes) + 2];
    if (!rest || snprintf(padded, sizeof(padded), "%s ", rest) != sizeof(padded) - 1 ||
        !inputs_read_digest(padded, whole.bytes, sizeof(whole.bytes)) ||
        !cbn_digest_matches(at, size - (size_t)(at - text), whole.bytes)) {
        return false;
    }
    const char *line = inputs_take_line(&at);
    if (!line || !(rest = after(line, "key ")) || !read_sha256(rest, &digest) ||
        !cbn_sha256_equal(&digest, &record->key)) {
        return false;
    }
    line = inputs_take_line(&at);
    if (!line || !(rest = after(line, "output ")) || !read_sha256(rest, &digest) ||
        !is_file_unchanged(record->output, &digest)) {
        return false;
    }
    while ((line = inputs_take_line(&at)) && strcmp(line, "messages") != 0) {
        if (!inputs_read_line(line, inputs)) {
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
    if (file_read(record->path, &text, &size)) {
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
