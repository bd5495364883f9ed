/* SPDX-License-Identifier: Apache-2.0 */
#include "base/comma_list.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the comma at `at`, in the value that starts at `start`, ends it. */
typedef bool (*ends_value_fn)(const char *start, const char *at);

static bool always_ends(const char *start, const char *at)
{
    (void)start;
    (void)at;
    return true;
}

static bool has_value(const char *macro)
{
    const char *end = macro;
    while (isalnum((unsigned char)*end) || *end == '_') {
        end++;
    }
    return end > macro && !isdigit((unsigned char)*macro) && *end == '=';
}

static bool ends_macro(const char *start, const char *at)
{
    size_t size = (size_t)(at - start);
    return has_value(at + 1) || !(memchr(start, '=', size) || memchr(start, '(', size));
}

static cubinet_status add(struct buffer *value, struct cbn_text_list *values)
{
    char *text = value->size > 0 ? buffer_take(value) : NULL;
    if (!text) {
        return value->failed ? cbn_error_memory() : CUBINET_OK;
    }
    cubinet_status status = cbn_text_list_add(values, text);
    free(text);
    return status;
}

static cubinet_status split(const char *text, ends_value_fn ends, struct cbn_text_list *out_values)
{
    struct buffer value = {0};
    const char *start = text;
    cubinet_status status = CUBINET_OK;
    for (const char *at = text; !status && *at; at++) {
        if (*at == ',' && ends(start, at)) {
            status = add(&value, out_values);
            start = at + 1;
        } else {
            at += at[0] == '\\' && at[1] == ',';
            buffer_append(&value, at, 1);
        }
    }
    if (!status) {
        status = add(&value, out_values);
    }
    buffer_free(&value);
    return status;
}

cubinet_status comma_list_split(const char *text, struct cbn_text_list *out_values)
{
    return split(text, always_ends, out_values);
}

cubinet_status comma_list_split_paths(const char *text, struct cbn_text_list *out_values)
{
    return access(text, F_OK) == 0 ? cbn_text_list_add(out_values, text) : comma_list_split(text, out_values);
}

cubinet_status comma_list_split_macros(const char *text, struct cbn_text_list *out_values)
{
    return split(text, ends_macro, out_values);
}
