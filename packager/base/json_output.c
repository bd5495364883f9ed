/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_output.h"

#include "base/buffer.h"
#include "base/text_table.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether some document may lack a part. */
static atomic_bool is_lost;

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory) {
        json_output_lost();
    }
    return memory;
}

void json_output_start(void)
{
    json_set_alloc_funcs(allocate, free);
}

bool json_output_is_lost(void)
{
    return atomic_load(&is_lost);
}

void json_output_lost(void)
{
    atomic_store(&is_lost, true);
}

json_t *json_output_text(const char *text)
{
    json_t *known = json_string(text);
    if (known) {
        return known;
    }
    struct buffer buffer = {0};
    for (size_t left = strlen(text); left > 0;) {
        size_t size = cbn_text_character(text, left);
        buffer_append(&buffer, size ? text : "\xef\xbf\xbd", size ? size : 3);
        text += size ? size : 1;
        left -= size ? size : 1;
    }
    if (buffer.failed) {
        json_output_lost();
    }
    json_t *json = buffer.failed ? NULL : json_string(buffer.data);
    buffer_free(&buffer);
    return json;
}

json_t *json_output_buffer(struct buffer *text)
{
    if (text->failed) {
        json_output_lost();
    }
    json_t *json = text->failed ? NULL : json_output_text(text->data ? text->data : "");
    buffer_free(text);
    return json;
}

json_t *json_output_number(uint32_t number)
{
    return number == CUBINET_UNKNOWN ? json_null() : json_integer(number);
}

json_t *json_output_release(uint32_t release)
{
    char text[RELEASE_TEXT_SIZE];
    return release == 0 ? json_null() : json_string(release_text(release, text));
}

json_t *json_output_target(cubinet_target target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    return json_string(cubinet_target_name(target, name));
}

json_t *json_output_digest(const unsigned char *bytes, size_t size)
{
    struct buffer text = {0};
    for (size_t i = 0; i < size; i++) {
        buffer_printf(&text, "%02x", bytes[i]);
    }
    return json_output_buffer(&text);
}

json_t *json_output_lines(const char *text)
{
    json_t *array = json_array();
    for (const char *at = text; *at;) {
        size_t size = strcspn(at, "\n");
        struct buffer line = {0};
        buffer_append(&line, at, size);
        json_array_append_new(array, json_output_buffer(&line));
        at += size + (at[size] != '\0');
    }
    return array;
}

json_t *json_output_archive(const cubinet_archive_info *archive)
{
    char format[RELEASE_TEXT_SIZE];
    snprintf(format, sizeof(format), "%u.%u", archive->format_major, archive->format_minor);
    return json_pack("{s:o, s:s, s:o, s:I, s:I}", "archive_version",
                     json_output_text(archive->archive_version), "format", format, "producer",
                     json_output_text(archive->producer), "bytes", (json_int_t)archive->archive_size,
                     "index_bytes", (json_int_t)archive->index_size);
}

char *json_output_dump(json_t *document, size_t flags)
{
    char *text = document ? json_dumps(document, flags) : NULL;
    json_decref(document);
    if (text && !json_output_is_lost()) {
        return text;
    }
    free(text);
    return NULL;
}

cubinet_status json_output_print(json_t *document)
{
    char *text = json_output_dump(document, JSON_INDENT(2) | JSON_OUTPUT_PRECISION);
    if (!text) {
        return cbn_error_memory();
    }
    puts(text);
    free(text);
    return CUBINET_OK;
}
