/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header_writer.h"

#include "base/c_text.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUFFIX_SIZE = 32 };

void header_note(struct header_writer *writer, cubinet_status status)
{
    if (!writer->status) {
        writer->status = status;
    }
}

void header_check_limit(struct header_writer *writer)
{
    if (!writer->status && writer->text.size > writer->limit) {
        header_note(writer,
                    cbn_error(CUBINET_ERROR_LIMIT,
                              "the header would have more than %zu bytes, its limit for an archive of "
                              "that size",
                              writer->limit));
    }
}

void header_name(struct header_writer *writer, const struct header_subject *subject, enum header_case letters,
                 const char *suffix)
{
    header_identifier(&writer->text, subject, letters, suffix);
}

static void note_name(struct header_writer *writer, struct header_subject *subject, enum header_case letters,
                      const char *suffix)
{
    struct buffer identifier = {0};
    header_identifier(&identifier, subject, letters, suffix);
    header_note(writer, header_names_add(&writer->names, buffer_take(&identifier), subject));
}

void header_define_name(struct header_writer *writer, struct header_subject *subject,
                        enum header_case letters, const char *suffix)
{
    header_check_limit(writer);
    if (writer->status) {
        return; /* the text is lost */
    }
    header_name(writer, subject, letters, suffix);
    note_name(writer, subject, letters, suffix);
}

void header_reserve(struct header_writer *writer, struct header_subject *subject, const char *suffix)
{
    note_name(writer, subject, HEADER_LOWER, suffix);
}

static void define(struct header_writer *writer, struct header_subject *subject, const char *suffix)
{
    buffer_puts(&writer->text, "#define ");
    header_define_name(writer, subject, HEADER_UPPER, suffix);
    buffer_puts(&writer->text, " ");
}

void header_define_number(struct header_writer *writer, struct header_subject *subject, const char *suffix,
                          uint64_t number)
{
    define(writer, subject, suffix);
    buffer_printf(&writer->text, "%" PRIu64 "\n", number);
}

void header_define_string(struct header_writer *writer, struct header_subject *subject, const char *suffix,
                          const char *string)
{
    define(writer, subject, suffix);
    c_text_literal(&writer->text, string);
    buffer_puts(&writer->text, "\n");
}

static void define_enum(struct header_writer *writer, struct header_subject *owner, const char *what,
                        struct header_subject *subjects, uint32_t count)
{
    char suffix[SUFFIX_SIZE];
    char count_suffix[SUFFIX_SIZE];
    snprintf(suffix, sizeof(suffix), "_%s", what);
    snprintf(count_suffix, sizeof(count_suffix), "_%s_COUNT", what);
    for (char *c = count_suffix; *c; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    buffer_puts(&writer->text, "\nenum ");
    header_define_name(writer, owner, HEADER_LOWER, suffix);
    buffer_puts(&writer->text, " {\n");
    for (uint32_t i = 0; i < count; i++) {
        buffer_puts(&writer->text, "    ");
        header_define_name(writer, &subjects[i], HEADER_UPPER, "_ID");
        buffer_puts(&writer->text, ",\n");
    }
    buffer_puts(&writer->text, "    ");
    header_define_name(writer, owner, HEADER_UPPER, count_suffix);
    buffer_puts(&writer->text, "\n};\n");
}

static void define_array(struct header_writer *writer, struct header_subject *owner, const char *what,
                         struct header_subject *subjects, uint32_t count)
{
    char suffix[SUFFIX_SIZE];
    snprintf(suffix, sizeof(suffix), "_%ss", what);
    buffer_puts(&writer->text, "\nstatic const char *const ");
    header_define_name(writer, owner, HEADER_LOWER, suffix);
    buffer_puts(&writer->text, "[] = {\n");
    for (uint32_t i = 0; i < count; i++) {
        buffer_puts(&writer->text, "    ");
        header_name(writer, &subjects[i], HEADER_UPPER, "");
        buffer_puts(&writer->text, ",\n");
    }
    buffer_puts(&writer->text, "};\n");
}

void header_define_list(struct header_writer *writer, struct header_subject *owner, const char *what,
                        struct header_subject *subjects, uint32_t count)
{
    if (count > 0) {
        define_enum(writer, owner, what, subjects, count);
        define_array(writer, owner, what, subjects, count);
    }
}

void header_comment(struct header_writer *writer, const char *before, const char *text)
{
    buffer_puts(&writer->text, before);
    c_text_comment(&writer->text, text);
}

cubinet_status header_take(struct header_writer *writer, char **out_text)
{
    if (writer->status) {
        return writer->status;
    }
    char *text = buffer_take(&writer->text);
    if (!text) {
        return cbn_error_memory();
    }
    *out_text = text;
    return CUBINET_OK;
}

void header_writer_free(struct header_writer *writer)
{
    buffer_free(&writer->text);
    header_names_free(&writer->names);
    *writer = (struct header_writer){0};
}
