/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/record/record_file.h"

#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cbn_record_free(struct cbn_record *record)
{
    for (size_t i = 0; i < record->text_count; i++) {
        free(record->texts[i]);
    }
    free(record->texts);
    free(record->entries);
    *record = (struct cbn_record){0};
}

/* Takes the text over if there is room for it. */
static bool keep_text(struct cbn_record *record, char *text)
{
    char **texts = reallocarray(record->texts, record->text_count + 1, sizeof(char *));
    if (!texts) {
        return false;
    }
    record->texts = texts;
    texts[record->text_count++] = text;
    return true;
}

static cubinet_status add_entry(struct cbn_record *record, const struct cbn_record_entry *entry)
{
    if (record->count == record->capacity) {
        size_t capacity = record->capacity ? 2 * record->capacity : 64;
        struct cbn_record_entry *entries = reallocarray(record->entries, capacity, sizeof(*entries));
        if (!entries) {
            return cbn_error_memory();
        }
        record->entries = entries;
        record->capacity = capacity;
    }
    record->entries[record->count++] = *entry;
    return CUBINET_OK;
}

/* Blank lines are nothing: one is written where a process finds that the last line was cut off. */
static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\0';
}

static cubinet_status add_line(struct cbn_record *record, char *line, size_t size, const char *name)
{
    struct cbn_record_entry entry;
    bool is_text = strlen(line) == size; /* no NUL in it */
    if (is_text && is_blank(line)) {
        return CUBINET_OK;
    }
    switch (is_text ? cbn_record_scan(line, &entry) : CBN_LINE_DAMAGED) {
    case CBN_LINE_ENTRY:
        return add_entry(record, &entry);
    case CBN_LINE_NEWER:
        return cbn_error(CUBINET_ERROR_NEWER_FORMAT,
                         "'%s' was recorded by a later version of Cubinet; this one reads version %d of "
                         "records",
                         name, CBN_RECORD_VERSION);
    case CBN_LINE_DAMAGED:
        break;
    }
    record->damaged++;
    return CUBINET_OK;
}

cubinet_status cbn_record_add(struct cbn_record *record, char *text, size_t size, const char *name)
{
    size_t before = record->count;
    size_t damaged = record->damaged;
    cubinet_status status = CUBINET_OK;
    if (!keep_text(record, text)) {
        free(text);
        return cbn_error_memory();
    }
    for (size_t start = 0; start < size && !status;) {
        char *line = text + start;
        const char *feed = memchr(line, '\n', size - start);
        size_t length = feed ? (size_t)(feed - line) : size - start;
        line[length] = '\0';
        status = add_line(record, line, length, name);
        start += length + 1;
    }
    if (!status && record->count == before && record->damaged > damaged) {
        status = cbn_error(CUBINET_ERROR_DAMAGED,
                           "'%s' is not a record of use: it has none of the lines that CUBINET_RECORD writes",
                           name);
    }
    return status;
}

static cubinet_status cannot_read(const char *path)
{
    return cbn_error(CUBINET_ERROR_IO, "can't read the record '%s': %s", path, strerror(errno));
}

/* As many bytes as are there; a program may be adding more. */
static cubinet_status read_all(int file, const char *path, char *text, size_t size, size_t *out_size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t part = read(file, text + got, size - got);
        if (part < 0 && errno != EINTR) {
            return cannot_read(path);
        }
        if (part == 0) {
            break;
        }
        got += part > 0 ? (size_t)part : 0;
    }
    *out_size = got;
    return CUBINET_OK;
}

static cubinet_status read_file(int file, const char *path, struct cbn_record *record)
{
    struct stat info;
    if (fstat(file, &info)) {
        return cannot_read(path);
    }
    if (!S_ISREG(info.st_mode)) {
        return cbn_error(CUBINET_ERROR_IO, "the record '%s' is not a regular file", path);
    }
    if ((uint64_t)info.st_size > CBN_RECORD_MAX) {
        return cbn_error(CUBINET_ERROR_LIMIT, "the record '%s' has more than %zu MiB", path,
                         CBN_RECORD_MAX >> 20);
    }
    size_t size = (size_t)info.st_size;
    char *text = malloc(size + 1);
    if (!text) {
        return cbn_error_memory();
    }
    cubinet_status status = read_all(file, path, text, size, &size);
    if (status) {
        free(text);
        return status;
    }
    text[size] = '\0';
    return cbn_record_add(record, text, size, path);
}

cubinet_status cbn_record_read(const char *path, struct cbn_record *record)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return cannot_read(path);
    }
    cubinet_status status = read_file(file, path, record);
    close(file);
    return status;
}
