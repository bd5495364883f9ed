/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/text_stream.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

static bool make_room(struct cbn_text_stream *stream, size_t size)
{
    size_t needed = stream->size + size + 1;
    if (needed <= stream->room) {
        return true;
    }
    size_t room = needed + needed / 2;
    char *text = realloc(stream->text, room);
    if (text) {
        stream->text = text;
        stream->room = room;
    }
    return text != NULL;
}

static ssize_t append(void *cookie, const char *bytes, size_t size)
{
    struct cbn_text_stream *stream = cookie;
    stream->is_cut = stream->is_cut || !make_room(stream, size);
    if (stream->is_cut) {
        return 0;
    }
    memcpy(stream->text + stream->size, bytes, size);
    stream->size += size;
    stream->text[stream->size] = '\0';
    return (ssize_t)size;
}

FILE *cbn_text_stream_open(struct cbn_text_stream *stream)
{
    *stream = (struct cbn_text_stream){.text = calloc(1, FIRST_ROOM), .room = FIRST_ROOM};
    if (stream->text) {
        stream->file = fopencookie(stream, "w", (cookie_io_functions_t){.write = append});
    }
    if (!stream->file) {
        free(stream->text);
    }
    return stream->file;
}

char *cbn_text_stream_close(struct cbn_text_stream *stream)
{
    fclose(stream->file); /* hands append() the rest */
    if (stream->is_cut) {
        free(stream->text);
        return NULL;
    }
    return stream->text;
}
