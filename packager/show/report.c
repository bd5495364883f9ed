/* SPDX-License-Identifier: Apache-2.0 */
#include "show/report.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/json_output.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* JSON inside of <script>: what could end the element, or start a comment in it, is written as an escape. In
 * JSON '<', '>' and '&' stand only in strings. */
static void append_json(struct buffer *page, const char *json)
{
    while (*json) {
        size_t plain = strcspn(json, "<>&");
        buffer_append(page, json, plain);
        json += plain;
        if (*json) {
            buffer_printf(page, "\\u%04x", (unsigned char)*json++);
        }
    }
}

cubinet_status report_write(const struct shown_archive *shown, const char *path)
{
    static const char marker[] = "@DATA@";
    const unsigned char *end = report_template + report_template_size;
    const unsigned char *place = memmem(report_template, report_template_size, marker, sizeof(marker) - 1);
    json_t *data;
    cubinet_status status = report_data(shown, &data);
    if (status) {
        return status;
    }
    char *json = json_output_dump(data, JSON_COMPACT);
    if (!json) {
        return cbn_error_memory();
    }
    struct buffer page = {0};
    buffer_append(&page, report_template, (size_t)(place - report_template));
    append_json(&page, json);
    place += sizeof(marker) - 1;
    buffer_append(&page, place, (size_t)(end - place));
    status = page.failed ? cbn_error_memory() : file_replace(path, page.data, page.size);
    free(json);
    buffer_free(&page);
    return status;
}
