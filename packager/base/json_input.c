/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_input.h"

#include "base/file.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

enum { MOST_FILE = 64 << 20 };

cubinet_status json_input_parse(const char *path, const char *text, size_t size, json_t **out_document)
{
    json_error_t error;
    if (size > MOST_FILE) {
        return cbn_error(CUBINET_ERROR_LIMIT, "'%s' has more than 64 MiB", path);
    }
    json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!document) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s', line %d: it is not JSON: %s", path,
                         error.line, error.text);
    }
    *out_document = document;
    return CUBINET_OK;
}

cubinet_status json_input_try(const char *text, size_t size, json_t **out_document)
{
    json_error_t error;
    *out_document = json_loadb(text, size, 0, &error);
    return *out_document || error.text[0] ? CUBINET_OK : cbn_error_memory(); /* which alone has no text */
}

cubinet_status json_input_read(const char *path, json_t **out_document)
{
    char *text = NULL;
    size_t size = 0;
    cubinet_status status = file_read(path, &text, &size);
    if (!status) {
        status = json_input_parse(path, text, size, out_document);
        free(text);
    }
    return status;
}

cubinet_status json_input_wrong(const char *key, const char *wanted)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "\"%s\" is not %s", key, wanted);
}

cubinet_status json_input_number(const char *key, const json_t *value, uint64_t most, uint64_t *out_number)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (uint64_t)number > most) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "\"%s\" is not a number from 0 to %llu", key,
                         (unsigned long long)most);
    }
    *out_number = (uint64_t)number;
    return CUBINET_OK;
}
