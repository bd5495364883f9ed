/* SPDX-License-Identifier: Apache-2.0 */
#include "show/diff_html_parts.h"

#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "show/report_parts.h"

#include <string.h>

/* The worst that happens to a GPU is what the row tells. */
static enum matter coverage_matter(json_t *before, json_t *after)
{
    bool is_worse = false;
    bool is_better = false;
    for (size_t i = 0; i < json_array_size(before); i++) {
        enum coverage_way old_way = report_coverage_way(json_string_value(json_array_get(before, i)));
        enum coverage_way new_way = report_coverage_way(json_string_value(json_array_get(after, i)));
        if (new_way < old_way && new_way == COVERAGE_NONE) {
            return MATTER_REMOVED;
        }
        is_worse = is_worse || new_way < old_way;
        is_better = is_better || new_way > old_way;
    }
    return is_worse ? MATTER_WORSE : is_better ? MATTER_BETTER : MATTER_CHANGED;
}

/* Modules to which the same happens are one row. `index` has the rows by both texts. */
static void add_module(const char *name, const char *before, const char *after, json_t *index,
                       struct diff_rows *rows)
{
    struct buffer key = {0};
    buffer_printf(&key, "%s|%s", before, after);
    if (key.failed) {
        json_output_lost();
        return;
    }
    json_t *row = json_object_get(index, key.data);
    if (!row) {
        json_t *old_words = report_coverage_words(before);
        json_t *new_words = report_coverage_words(after);
        enum matter matter = coverage_matter(old_words, new_words);
        row = json_pack("{s:o, s:o, s:[]}", "old", old_words, "new", new_words, "modules");
        json_object_set(index, key.data, row);
        diff_rows_add(rows, &(struct diff_row){.json = row, .matter = matter});
    }
    json_array_append_new(json_object_get(row, "modules"), json_output_text(name));
    buffer_free(&key);
}

static cubinet_status compare_module(const struct module_pair *pair, json_t *index, struct diff_rows *rows)
{
    struct buffer before = {0};
    struct buffer after = {0};
    cubinet_status status = report_coverage_text(pair->before, &before);
    if (!status) {
        status = report_coverage_text(pair->after, &after);
    }
    if (!status && strcmp(before.data, after.data) != 0) {
        add_module(pair->after->name, before.data, after.data, index, rows);
    }
    buffer_free(&before);
    buffer_free(&after);
    return status;
}

cubinet_status diff_html_coverage(const struct module_pairs *pairs, json_t **out_rows)
{
    struct diff_rows rows = {0};
    json_t *index = json_object();
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < pairs->count; i++) {
        if (pairs->items[i].before && pairs->items[i].after) {
            status = compare_module(&pairs->items[i], index, &rows);
        }
    }
    json_decref(index);
    *out_rows = diff_rows_json(&rows);
    return status;
}
