/* SPDX-License-Identifier: Apache-2.0 */
#include "show/report_page.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/json_output.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* What a marker of the template stands for. */
struct filling {
    const char *marker;
    const void *text;
    size_t size;
};

enum { FILLING_COUNT = 3 };

/* JSON inside of <script>: what could end the element, or start a comment in it, is written as an escape. In
 * JSON '<', '>' and '&' stand only in strings. */
static void append_json(struct buffer *text, const char *json)
{
    while (*json) {
        size_t plain = strcspn(json, "<>&");
        buffer_append(text, json, plain);
        json += plain;
        if (*json) {
            buffer_printf(text, "\\u%04x", (unsigned char)*json++);
        }
    }
}

/* The filling whose marker is at the start of a text, or NULL. */
static const struct filling *filling_at(const struct filling *fillings, const unsigned char *text,
                                        size_t size)
{
    for (size_t i = 0; i < FILLING_COUNT; i++) {
        size_t marker = strlen(fillings[i].marker);
        if (marker <= size && memcmp(text, fillings[i].marker, marker) == 0) {
            return &fillings[i];
        }
    }
    return NULL;
}

/* What is filled in is not searched for markers. */
static void fill(const unsigned char *template, size_t size, const struct filling *fillings,
                 struct buffer *page)
{
    while (size > 0) {
        const unsigned char *at = memchr(template, '@', size);
        size_t plain = at ? (size_t)(at - template) : size;
        buffer_append(page, template, plain);
        template += plain;
        size -= plain;
        const struct filling *filling = filling_at(fillings, template, size);
        size_t used = filling ? strlen(filling->marker) : size > 0;
        buffer_append(page, filling ? filling->text : template, filling ? filling->size : used);
        template += used;
        size -= used;
    }
}

cubinet_status page_write(const unsigned char *template, size_t size, json_t *data, const char *path)
{
    char *json = json_output_dump(data, JSON_COMPACT);
    if (!json) {
        return cbn_error_memory();
    }
    struct buffer text = {0};
    struct buffer page = {0};
    append_json(&text, json);
    const struct filling fillings[FILLING_COUNT] = {{"@STYLE@", page_style, page_style_size},
                                                    {"@SCRIPT@", page_script, page_script_size},
                                                    {"@DATA@", text.data, text.size}};
    if (!text.failed) {
        fill(template, size, fillings, &page);
    }
    cubinet_status status =
        text.failed || page.failed ? cbn_error_memory() : file_replace(path, page.data, page.size);
    free(json);
    buffer_free(&text);
    buffer_free(&page);
    return status;
}
