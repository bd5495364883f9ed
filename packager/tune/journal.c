/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/journal.h"

#include "base/array.h"
#include "base/file.h"
#include "base/json_output.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What has to be equal for measurements to belong together. */
static json_t *header(const struct tune_description *description, const struct tune_options *options)
{
    return json_pack("{s:i, s:o, s:b}", "cubinet_tune", 1, "description",
                     json_output_digest(description->digest, sizeof(description->digest)), "cold",
                     options->is_cold);
}

static cubinet_status write_line(struct journal *journal, json_t *object)
{
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    cubinet_status status = text ? CUBINET_OK : cbn_error_memory();
    if (text && (fprintf(journal->file, "%s\n", text) < 0 || fflush(journal->file) != 0 ||
                 fsync(fileno(journal->file)) != 0)) {
        status = cbn_error(CUBINET_ERROR_IO, "cannot write '%s': %s", journal->path, strerror(errno));
    }
    free(text);
    json_decref(object);
    return status;
}

static cubinet_status take_line(const char *line, const struct tune_description *description,
                                struct journal_lines *lines)
{
    struct outcome outcome;
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    cubinet_status status = outcome_from_json(object, description, &outcome);
    json_decref(object);
    if (status) {
        return status == CUBINET_ERROR_OUT_OF_MEMORY ? status : CUBINET_OK; /* cut */
    }
    struct outcome *items = array_grow(lines->items, lines->count, sizeof(*items));
    if (!items) {
        outcome_free(&outcome);
        return cbn_error_memory();
    }
    lines->items = items;
    items[lines->count++] = outcome;
    return CUBINET_OK;
}

static cubinet_status check_header(const struct journal *journal, const char *line,
                                   const struct tune_description *description,
                                   const struct tune_options *options)
{
    json_t *wanted = header(description, options);
    json_t *found = json_loads(line, 0, NULL);
    bool is_equal = json_equal(wanted, found);
    json_decref(wanted);
    json_decref(found);
    if (json_output_is_lost()) {
        return cbn_error_memory();
    }
    return is_equal ? CUBINET_OK
                    : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                                "'%s' has measurements of another description, or with other caches (--cold, "
                                "--warm): measure all without --resume",
                                journal->path);
}

static cubinet_status read_all(const struct journal *journal, const struct tune_description *description,
                               const struct tune_options *options, struct journal_lines *lines)
{
    char *text = NULL;
    size_t size = 0;
    char *rest = NULL;
    if (access(journal->path, F_OK) != 0) {
        return CUBINET_OK;
    }
    cubinet_status status = file_read(journal->path, &text, &size);
    bool is_first = true;
    for (char *line = status ? NULL : strtok_r(text, "\n", &rest); !status && line;
         line = strtok_r(NULL, "\n", &rest)) {
        status = is_first ? check_header(journal, line, description, options)
                          : take_line(line, description, lines);
        is_first = false;
    }
    free(text);
    return status;
}

static cubinet_status write_start(struct journal *journal, const struct tune_description *description,
                                  const struct tune_options *options, const struct journal_lines *lines,
                                  const char *path)
{
    journal->file = fopen(path, "we");
    if (!journal->file) {
        return cbn_error(CUBINET_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    }
    cubinet_status status = write_line(journal, header(description, options));
    for (size_t i = 0; !status && i < lines->count; i++) {
        status = journal_add(journal, &lines->items[i], description);
    }
    if (!status && rename(path, journal->path) != 0) {
        status = cbn_error(CUBINET_ERROR_IO, "cannot rename '%s': %s", path, strerror(errno));
    }
    return status;
}

/* Written from its start, so that a line that was cut does not spoil the next one; what was there stays until
 * it is written again. */
static cubinet_status start_file(struct journal *journal, const struct tune_description *description,
                                 const struct tune_options *options, const struct journal_lines *lines)
{
    char *path = NULL;
    if (asprintf(&path, "%s.new", journal->path) < 0) {
        return cbn_error_memory();
    }
    cubinet_status status = write_start(journal, description, options, lines, path);
    if (status && journal->file) {
        unlink(path);
    }
    free(path);
    return status;
}

char *journal_path(const char *output)
{
    char *path = NULL;
    return asprintf(&path, "%s.tuning", output) < 0 ? NULL : path;
}

cubinet_status journal_open(const char *output, const struct tune_description *description,
                            const struct tune_options *options, bool goes_on, struct journal *out_journal,
                            struct journal_lines *out_lines)
{
    struct journal journal = {.path = journal_path(output)};
    struct journal_lines lines = {0};
    cubinet_status status = journal.path ? CUBINET_OK : cbn_error_memory();
    if (!status && goes_on) {
        status = read_all(&journal, description, options, &lines);
    }
    if (!status) {
        status = start_file(&journal, description, options, &lines);
    }
    if (status) {
        journal_lines_free(&lines);
        journal_close(&journal, false);
        return status;
    }
    *out_journal = journal;
    *out_lines = lines;
    return CUBINET_OK;
}

cubinet_status journal_add(struct journal *journal, const struct outcome *outcome,
                           const struct tune_description *description)
{
    return write_line(journal, outcome_to_json(outcome, description));
}

void journal_close(struct journal *journal, bool is_complete)
{
    if (journal->file) {
        fclose(journal->file);
    }
    if (journal->file && is_complete) {
        unlink(journal->path);
    }
    free(journal->path);
    *journal = (struct journal){0};
}

void journal_lines_free(struct journal_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        outcome_free(&lines->items[i]);
    }
    free(lines->items);
    *lines = (struct journal_lines){0};
}
