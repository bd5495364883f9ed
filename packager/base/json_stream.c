/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_stream.h"

#include "base/json_output.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2 };

static void start_line(const struct json_stream *stream)
{
    printf("\n%*s", (int)(INDENT * stream->depth), "");
}

static void start_member(struct json_stream *stream, const char *key)
{
    if (stream->depth > 0) {
        fputs(stream->is_filled ? "," : "", stdout);
        start_line(stream);
    }
    if (key) {
        printf("\"%s\": ", key);
    }
    stream->is_filled = true;
}

void json_stream_open(struct json_stream *stream, const char *key, char bracket)
{
    start_member(stream, key);
    putchar(bracket);
    stream->depth++;
    stream->is_filled = false;
}

void json_stream_close(struct json_stream *stream, char bracket)
{
    stream->depth--;
    if (stream->is_filled) {
        start_line(stream);
    }
    putchar(bracket);
    stream->is_filled = true;
    if (stream->depth == 0) {
        putchar('\n');
    }
}

cubinet_status json_stream_put(struct json_stream *stream, const char *key, json_t *value)
{
    char *text = json_output_dump(value, JSON_INDENT(INDENT) | JSON_OUTPUT_PRECISION | JSON_ENCODE_ANY);
    if (!text) {
        return cbn_error_memory();
    }
    start_member(stream, key);
    for (const char *line = text; *line;) { /* line feeds in strings are escaped */
        size_t size = strcspn(line, "\n");
        fwrite(line, 1, size, stdout);
        if (line[size]) {
            start_line(stream);
        }
        line += size + (line[size] != '\0');
    }
    free(text);
    return CUBINET_OK;
}

cubinet_status json_stream_put_members(struct json_stream *stream, json_t *object)
{
    const char *key;
    json_t *value;
    cubinet_status status = object ? CUBINET_OK : cbn_error_memory();
    json_object_foreach(object, key, value)
    {
        status = status ? status : json_stream_put(stream, key, json_incref(value));
    }
    json_decref(object);
    return status;
}
