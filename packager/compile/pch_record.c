/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/pch_record.h"

#include "base/file.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line with the digest of all that follows: the setting, what became of it, the inputs, then NVRTC's log.
 */
#define RECORD_HEAD         "cubinet-pch 2 "
#define DEFAULT_DEVICE_LINE "default-device"

void pch_setting_free(struct pch_setting *setting)
{
    cbn_text_list_free(&setting->options);
    free(setting->folder);
    *setting = (struct pch_setting){0};
}

void pch_record_free(struct pch_record *record)
{
    pch_setting_free(&record->setting);
    inputs_free(&record->inputs);
    free(record->reason);
    free(record->messages);
    *record = (struct pch_record){0};
}

static void write_state(struct buffer *body, const struct pch_record *record)
{
    if (record->reason) {
        buffer_printf(body, "none %s\n", record->reason);
        return;
    }
    buffer_puts(body, "data ");
    inputs_write_digest(body, record->data.digest.bytes, sizeof(record->data.digest.bytes));
    buffer_printf(body, " %lld %lld %llu %llx %llu\n", record->data.size, record->data.time,
                  record->data.inode, record->library, record->heap_size);
}

cubinet_status pch_record_text(const struct pch_record *record, char **out_text)
{
    const struct pch_setting *setting = &record->setting;
    struct buffer body = {0};
    struct buffer text = {0};
    buffer_puts(&body, "nvrtc ");
    inputs_write_digest(&body, setting->nvrtc.bytes, sizeof(setting->nvrtc.bytes));
    buffer_printf(&body, " \nfolder %s\n", setting->folder);
    for (size_t i = 0; i < setting->options.count; i++) {
        buffer_printf(&body, "option %s\n", setting->options.items[i]);
    }
    if (record->default_device) {
        buffer_puts(&body, DEFAULT_DEVICE_LINE "\n");
    }
    write_state(&body, record);
    for (size_t i = 0; i < record->inputs.count; i++) {
        inputs_write_line(&body, &record->inputs.items[i]);
    }
    buffer_printf(&body, "messages\n%s", record->messages ? record->messages : "");
    buffer_puts(&text, RECORD_HEAD);
    struct cbn_digest whole = cbn_digest(body.data, body.size);
    inputs_write_digest(&text, whole.bytes, sizeof(whole.bytes));
    buffer_puts(&text, " \n");
    buffer_append(&text, body.data, body.size);
    text.failed |= body.failed;
    buffer_free(&body);
    *out_text = buffer_take(&text);
    return *out_text ? CUBINET_OK : cbn_error_memory();
}

static const char *after(const char *line, const char *word)
{
    size_t size = strlen(word);
    return line && strncmp(line, word, size) == 0 ? line + size : NULL;
}

/* Reads the lines of the setting, and takes the first that is none. */
static char *read_setting(char **at, struct pch_setting *setting)
{
    char *line = inputs_take_line(at);
    const char *rest = after(line, "nvrtc ");
    if (!rest || !inputs_read_digest(rest, setting->nvrtc.bytes, sizeof(setting->nvrtc.bytes))) {
        return NULL;
    }
    rest = after(inputs_take_line(at), "folder ");
    setting->folder = rest ? strdup(rest) : NULL;
    if (!setting->folder) {
        return NULL;
    }
    while ((rest = after(line = inputs_take_line(at), "option "))) {
        if (cbn_text_list_add(&setting->options, rest)) {
            return NULL;
        }
    }
    return line;
}

/* Reads the line that says what became of it. */
static bool read_state(const char *line, struct pch_record *record)
{
    const char *rest = after(line, "none ");
    if (rest) {
        return (record->reason = strdup(rest)) != NULL;
    }
    rest = after(line, "data ");
    struct cbn_digest *digest = &record->data.digest;
    rest = rest ? inputs_read_digest(rest, digest->bytes, sizeof(digest->bytes)) : NULL;
    return rest && sscanf(rest, "%lld %lld %llu %llx %llu", &record->data.size, &record->data.time,
                          &record->data.inode, &record->library, &record->heap_size) == 5;
}

/* The path in the line of an input. */
static const char *path_of(const char *line)
{
    struct cbn_sha256 digest;
    const char *rest = after(line, "file ");
    const char *path = rest ? inputs_read_digest(rest, digest.bytes, sizeof(digest.bytes)) : NULL;
    int start = 0;
    if (!path && sscanf(line, "toolkit %*d %*d %n", &start) == 0 && start > 0) {
        path = line + start;
    }
    return path ? path : line + strcspn(line, " ") + 1;
}

/* Reads the inputs, comparing each with what is there now. */
static bool read_inputs(char **at, struct pch_record *record, struct buffer *why)
{
    char *line = NULL;
    while ((line = inputs_take_line(at)) && strcmp(line, "messages") != 0) {
        if (!inputs_read_line(line, &record->inputs)) {
            buffer_printf(why, "'%s' is not what it was", path_of(line));
            return false;
        }
    }
    return line != NULL && (record->messages = strdup(*at)) != NULL;
}

static bool read_body(char *at, struct pch_record *record, struct buffer *why)
{
    const char *line = read_setting(&at, &record->setting);
    record->default_device = line && strcmp(line, DEFAULT_DEVICE_LINE) == 0;
    if (record->default_device) {
        line = inputs_take_line(&at);
    }
    if (!line || !read_state(line, record)) {
        buffer_puts(why, "its record cannot be read");
        return false;
    }
    return read_inputs(&at, record, why);
}

bool pch_record_read(const char *path, struct pch_record *out_record, struct buffer *why)
{
    char *text = NULL;
    size_t size = 0;
    struct pch_record record = {0};
    if (file_read(path, &text, &size)) {
        buffer_puts(why, "it is not there");
        return false;
    }
    char *at = text;
    struct cbn_digest digest;
    const char *head = after(inputs_take_line(&at), RECORD_HEAD);
    bool read = head && inputs_read_digest(head, digest.bytes, sizeof(digest.bytes)) &&
                cbn_digest_matches(at, size - (size_t)(at - text), digest.bytes);
    if (!read) {
        buffer_puts(why, "its record is damaged or unfinished");
    } else {
        read = read_body(at, &record, why);
    }
    free(text);
    if (!read) {
        pch_record_free(&record);
        return false;
    }
    *out_record = record;
    return true;
}

/* Whether two lists are equal, but for an option that the second may have besides; NULL for none. */
static bool same_list(const struct cbn_text_list *a, const struct cbn_text_list *b, const char *besides)
{
    size_t at = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (at < a->count && strcmp(a->items[at], b->items[i]) == 0) {
            at++;
        } else if (!besides || strcmp(b->items[i], besides) != 0) {
            return false;
        }
    }
    return at == a->count;
}

static void explain_options(const struct cbn_text_list *made, const struct cbn_text_list *wanted,
                            struct buffer *why)
{
    for (size_t i = 0; i < made->count; i++) {
        if (!cbn_text_list_has(wanted, made->items[i])) {
            buffer_printf(why, "it was made with %s, and this compile is not", made->items[i]);
            return;
        }
    }
    for (size_t i = 0; i < wanted->count; i++) {
        if (!cbn_text_list_has(made, wanted->items[i])) {
            buffer_printf(why, "it was made without %s", wanted->items[i]);
            return;
        }
    }
    buffer_puts(why, "it was made with the same options in another order");
}

bool pch_record_fits(const struct pch_record *record, const struct pch_setting *setting, struct buffer *why)
{
    if (memcmp(&record->setting.nvrtc, &setting->nvrtc, sizeof(setting->nvrtc)) != 0) {
        buffer_puts(why, "it was made by another NVRTC");
        return false;
    }
    if (strcmp(record->setting.folder, setting->folder) != 0) {
        buffer_printf(why, "it was made in the folder '%s'", record->setting.folder);
        return false;
    }
    const char *besides = record->default_device ? "-default-device" : NULL;
    if (!same_list(&record->setting.options, &setting->options, besides)) {
        explain_options(&record->setting.options, &setting->options, why);
        return false;
    }
    return true;
}

/* NULL if it can't be opened or is empty. The caller unmaps it. */
static void *map_file(const char *path, struct stat *about)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    void *data = MAP_FAILED;
    if (file >= 0 && fstat(file, about) == 0 && about->st_size > 0) {
        data = mmap(NULL, (size_t)about->st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    }
    int error = errno;
    if (file >= 0) {
        close(file);
    }
    errno = error;
    return data == MAP_FAILED ? NULL : data;
}

cubinet_status pch_data_identify(const char *path, struct pch_data *out_data)
{
    struct stat about;
    void *data = map_file(path, &about);
    if (!data) {
        return cbn_error(CUBINET_ERROR_IO, "cannot read '%s': %s", path, strerror(errno));
    }
    *out_data = (struct pch_data){
        .digest = cbn_digest(data, (size_t)about.st_size),
        .size = about.st_size,
        .time = inputs_nanoseconds(about.st_mtim),
        .inode = about.st_ino,
    };
    munmap(data, (size_t)about.st_size);
    return CUBINET_OK;
}

bool pch_data_is(const char *path, const struct pch_data *data)
{
    struct stat about;
    struct pch_data found;
    if (stat(path, &about) != 0 || about.st_size != data->size) {
        return false;
    }
    /* Digesting hundreds of megabytes for each compile would take a tenth of its time. */
    if (inputs_nanoseconds(about.st_mtim) == data->time && about.st_ino == data->inode) {
        return true;
    }
    return !pch_data_identify(path, &found) &&
           memcmp(&found.digest, &data->digest, sizeof(found.digest)) == 0;
}
