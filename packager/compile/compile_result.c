/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_result.h"

#include "base/packed_bytes.h"
#include "loader/core/archive/format.h"

#include <stdlib.h>
#include <string.h>

enum {
    RESULT_VERSION = 1,

    RESULT_VERSION_AT = 0,
    RESULT_MESSAGES = 8, /* their size with the NUL; they follow, and after them the archive */
    RESULT_HEAD = 16,
};

static bool read_parts(const char *bytes, size_t size, struct compile_result *out_result)
{
    const unsigned char *head = (const unsigned char *)bytes;
    if (size < RESULT_HEAD || cbn_get64(head + RESULT_VERSION_AT) != RESULT_VERSION) {
        return false;
    }
    uint64_t messages = cbn_get64(head + RESULT_MESSAGES);
    if (messages == 0 || messages > size - RESULT_HEAD ||
        strnlen(bytes + RESULT_HEAD, (size_t)messages) != messages - 1) {
        return false;
    }
    out_result->messages = bytes + RESULT_HEAD;
    out_result->archive = bytes + RESULT_HEAD + messages;
    out_result->archive_size = size - RESULT_HEAD - (size_t)messages;
    return true;
}

bool compile_result_read(const void *packed, size_t size, size_t most, char **out_bytes,
                         struct compile_result *out_result)
{
    char *bytes = NULL;
    size_t unpacked = 0;
    if (!packed_bytes_read(packed, size, most, &bytes, &unpacked)) {
        return false;
    }
    if (!read_parts(bytes, unpacked, out_result)) {
        free(bytes);
        return false;
    }
    *out_bytes = bytes;
    return true;
}

void compile_result_write(const struct compile_result *result, struct buffer *out)
{
    unsigned char head[RESULT_HEAD];
    struct buffer bytes = {0};
    size_t messages = strlen(result->messages) + 1;
    cbn_put64(head + RESULT_VERSION_AT, RESULT_VERSION);
    cbn_put64(head + RESULT_MESSAGES, messages);
    buffer_append(&bytes, head, sizeof(head));
    buffer_append(&bytes, result->messages, messages);
    buffer_append(&bytes, result->archive, result->archive_size);
    out->failed |= bytes.failed;
    packed_bytes_add(out, bytes.data, bytes.failed ? 0 : bytes.size);
    buffer_free(&bytes);
}
