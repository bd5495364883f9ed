/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/entry_name.h"

#include "loader/core/support/error.h"
#include "loader/core/support/sha256.h"

#include <limits.h>
#include <string.h>

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("._-+", c));
}

void entry_name_module(struct buffer *buffer, const char *module)
{
    for (const char *c = module; *c; c++) {
        bool leading_dot = c == module && *c == '.';
        if (is_plain(*c) && !leading_dot) {
            buffer_append(buffer, c, 1);
        } else {
            buffer_printf(buffer, "%%%02X", (unsigned char)*c);
        }
    }
}

static const char *extension(cubinet_image_kind kind)
{
    switch (kind) {
    case CUBINET_IMAGE_CUBIN:
        return ".cubin";
    case CUBINET_IMAGE_PTX:
        return ".ptx";
    case CUBINET_IMAGE_LTOIR:
        return ".ltoir";
    case CUBINET_IMAGE_TILEIR:
        return ".tileirbc";
    case CUBINET_IMAGE_OPTIXIR:
        return ".optixir";
    }
    return ".image";
}

/* The name that was made; frees the buffer. */
static cubinet_status take_name(struct buffer *buffer, const char *module, char **out_name)
{
    if (buffer->size > ENTRY_NAME_MAX) {
        buffer_free(buffer);
        return cbn_error(CUBINET_ERROR_LIMIT,
                         "the module name '%.40s…' is too long: its entries' names would exceed %d bytes",
                         module, (int)ENTRY_NAME_MAX);
    }
    char *text = buffer_take(buffer);
    if (!text) {
        return cbn_error_memory();
    }
    *out_name = text;
    return CUBINET_OK;
}

cubinet_status entry_name(const char *module, cubinet_target target, struct entry_part part,
                          cubinet_encoding encoding, char **out_name)
{
    struct buffer buffer = {0};
    char name[CUBINET_TARGET_NAME_SIZE];
    entry_name_module(&buffer, module);
    buffer_printf(&buffer, "/%s", cubinet_target_name(target, name));
    if (part.count > 1) {
        buffer_printf(&buffer, ".%u", (unsigned)part.number);
    }
    buffer_printf(&buffer, "%s%s", extension(target.kind), encoding == CUBINET_ENCODING_RAW ? "" : ".zst");
    return take_name(&buffer, module, out_name);
}

/* Leaves `size` bytes, or fewer, so that none of a "%2F" is left alone. */
static void cut(struct buffer *buffer, size_t size)
{
    while (size > 0 && (buffer->data[size - 1] == '%' || (size > 1 && buffer->data[size - 2] == '%'))) {
        size--;
    }
    buffer->size = size;
    buffer->data[size] = '\0';
}

cubinet_status entry_name_folder(const char *module, char **out_name)
{
    enum { DIGEST_BYTES = 16, KEPT = NAME_MAX - 1 - 2 * DIGEST_BYTES };
    struct buffer buffer = {0};
    entry_name_module(&buffer, module);
    if (!buffer.failed && buffer.size > NAME_MAX) {
        struct cbn_sha256 digest = cbn_sha256(module, strlen(module));
        cut(&buffer, KEPT);
        buffer_puts(&buffer, "~");
        for (int i = 0; i < DIGEST_BYTES; i++) {
            buffer_printf(&buffer, "%02x", digest.bytes[i]);
        }
    }
    char *text = buffer_take(&buffer);
    if (!text) {
        return cbn_error_memory();
    }
    *out_name = text;
    return CUBINET_OK;
}

cubinet_status entry_name_packed(const char *module, char **out_name)
{
    struct buffer buffer = {0};
    entry_name_module(&buffer, module);
    buffer_puts(&buffer, "/images.zst");
    return take_name(&buffer, module, out_name);
}
