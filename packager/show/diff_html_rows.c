/* SPDX-License-Identifier: Apache-2.0 */
#include "show/diff_html_parts.h"

#include "base/array.h"
#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "show/natural_order.h"

#include <stdlib.h>
#include <string.h>

const char *matter_word(enum matter matter)
{
    static const char *const words[] = {[MATTER_REMOVED] = "removed",
                                        [MATTER_WORSE] = "worse",
                                        [MATTER_CHANGED] = "changed",
                                        [MATTER_BETTER] = "better",
                                        [MATTER_ADDED] = "added"};
    return words[matter];
}

void diff_rows_add(struct diff_rows *rows, const struct diff_row *row)
{
    struct diff_row *items = array_grow(rows->items, rows->count, sizeof(*items));
    if (!items) {
        json_output_lost();
        json_decref(row->json);
        return;
    }
    rows->items = items;
    items[rows->count] = *row;
    items[rows->count].number = rows->count;
    rows->count++;
    json_object_set_new(row->json, "change", json_string(matter_word(row->matter)));
}

/* By the names in the rows, as far as they have them. */
static int compare_names(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"module", "kernel"};
    int order = 0;
    for (size_t i = 0; order == 0 && i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *x = json_string_value(json_object_get(a, keys[i]));
        const char *y = json_string_value(json_object_get(b, keys[i]));
        order = x && y ? natural_order(x, y) : 0;
    }
    return order;
}

static int compare_rows(const void *a, const void *b)
{
    const struct diff_row *x = a;
    const struct diff_row *y = b;
    if (x->matter != y->matter) {
        return x->matter < y->matter ? -1 : 1;
    }
    for (size_t i = 0; i < ROW_WEIGHTS; i++) {
        if (x->weights[i] < y->weights[i] || x->weights[i] > y->weights[i]) {
            return x->weights[i] > y->weights[i] ? -1 : 1;
        }
    }
    int order = compare_names(x->json, y->json);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

json_t *diff_rows_json(struct diff_rows *rows)
{
    json_t *array = json_array();
    if (rows->count > 0) {
        qsort(rows->items, rows->count, sizeof(*rows->items), compare_rows);
    }
    for (size_t i = 0; i < rows->count; i++) {
        json_array_append_new(array, rows->items[i].json);
    }
    free(rows->items);
    *rows = (struct diff_rows){0};
    return array;
}

static const char *pair_name(const struct module_pair *pair)
{
    return pair->after ? pair->after->name : pair->before->name;
}

static int compare_pairs(const void *a, const void *b)
{
    return natural_order(pair_name(a), pair_name(b));
}

/* Archives list modules in strcmp()'s order. */
cubinet_status module_pairs_make(const struct diff_shown *shown, struct module_pairs *out_pairs)
{
    const struct listing *before = &shown->before->listing;
    const struct listing *after = &shown->after->listing;
    struct module_pairs pairs = {
        .items = calloc((size_t)before->module_count + after->module_count + 1, sizeof(*pairs.items))};
    if (!pairs.items) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0, j = 0; i < before->module_count || j < after->module_count;) {
        int order = i == before->module_count  ? 1
                    : j == after->module_count ? -1
                                               : strcmp(before->modules[i].name, after->modules[j].name);
        struct module_pair *pair = &pairs.items[pairs.count++];
        pair->before = order <= 0 ? &before->modules[i++] : NULL;
        pair->after = order >= 0 ? &after->modules[j++] : NULL;
    }
    if (pairs.count > 0) {
        qsort(pairs.items, pairs.count, sizeof(*pairs.items), compare_pairs);
    }
    *out_pairs = pairs;
    return CUBINET_OK;
}

void module_pairs_free(struct module_pairs *pairs)
{
    free(pairs->items);
    *pairs = (struct module_pairs){0};
}
