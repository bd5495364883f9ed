/* SPDX-License-Identifier: Apache-2.0 */
#include "entry_name.h"

#include "error.h"

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
    }
    return ".image";
}

static const char *suffix(cubinet_encoding encoding)
{
    switch (encoding) {
    case CUBINET_ENCODING_RAW:
        break;
    case CUBINET_ENCODING_ZSTD:
        return ".zst";
    case CUBINET_ENCODING_ZSTD_BASE:
        return ".patch.zst";
    }
    return "";
}

cubinet_status entry_name(const char *module, cubinet_target target, cubinet_encoding encoding,
                          char **out_name)
{
    struct buffer buffer = {0};
    char name[CUBINET_TARGET_NAME_SIZE];
    entry_name_module(&buffer, module);
    buffer_printf(&buffer, "/%s%s%s", cubinet_target_name(target, name), extension(target.kind),
                  suffix(encoding));
    if (buffer.size > ENTRY_NAME_MAX) {
        buffer_free(&buffer);
        return cbn_error(CUBINET_ERROR_LIMIT,
                         "the module name '%.40s…' is too long: its entries' names would exceed %d bytes",
                         module, (int)ENTRY_NAME_MAX);
    }
    char *text = buffer_take(&buffer);
    if (!text) {
        return cbn_error_memory();
    }
    *out_name = text;
    return CUBINET_OK;
}
