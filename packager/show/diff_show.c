/* SPDX-License-Identifier: Apache-2.0 */
#include "show/diff.h"

#include "base/json_output.h"
#include "base/text_table.h"

#include <stdint.h>
#include <string.h>

static const char *const side_words[] = {
    [DIFFERENCE_REMOVED] = "removed", [DIFFERENCE_ADDED] = "added", [DIFFERENCE_CHANGED] = "changed"};

static bool is_whole(double number)
{
    double whole = (double)(int64_t)number;
    return whole >= number && whole <= number;
}

enum { VALUE_TEXT_SIZE = 64 };

/* "32", "0.75", "32x2x1"; "?" if it is not known. */
static const char *value_text(const struct difference_value *value, char text[VALUE_TEXT_SIZE])
{
    size_t size = 0;
    text[0] = '\0';
    if (!value->known) {
        return strcpy(text, "?");
    }
    for (size_t i = 0; i < value->count; i++) {
        int decimals = is_whole(value->numbers[i]) ? 0 : 3;
        size += (size_t)snprintf(text + size, VALUE_TEXT_SIZE - size, "%s%.*f", i ? "x" : "", decimals,
                                 value->numbers[i]);
    }
    return text;
}

static void add_change(struct text_table *table, const struct difference *difference)
{
    const struct difference_value *old_value = &difference->old_value;
    const struct difference_value *new_value = &difference->new_value;
    if (old_value->count != 1 || !old_value->known || !new_value->known) {
        text_table_add(table, "%s", side_words[difference->side]);
        return;
    }
    double growth = new_value->numbers[0] - old_value->numbers[0];
    text_table_add(table, "%+.*f", is_whole(growth) ? 0 : 3, growth);
}

static void add_row(struct text_table *table, const struct difference *difference,
                    const struct diff_criteria *criteria)
{
    char old_text[VALUE_TEXT_SIZE];
    char new_text[VALUE_TEXT_SIZE];
    bool has_values = difference->old_value.count > 0;
    text_table_add(table, "%s", difference->module);
    text_table_add(table, "%s", difference->target);
    text_table_add(table, "%s", difference->name ? difference->name : "");
    text_table_add(table, "%s", difference->what);
    text_table_add(table, "%s", has_values ? value_text(&difference->old_value, old_text) : "");
    text_table_add(table, "%s", has_values ? value_text(&difference->new_value, new_text) : "");
    add_change(table, difference);
    text_table_add(table, "%s", !criteria->any && diff_criteria_match(criteria, difference) ? "!" : "");
}

static void print_summary(const struct diff_shown *shown)
{
    size_t count = shown->diff->count;
    printf("\n%zu %s", count, count == 1 ? "difference" : "differences");
    if (!shown->criteria->any) {
        printf(", %zu of them (!) asked for by --fail-on", shown->matches);
    }
    char old_size[SIZE_TEXT_SIZE];
    char new_size[SIZE_TEXT_SIZE];
    printf("; the archives have %s and %s\n",
           size_text(shown->before->listing.archive.archive_size, old_size),
           size_text(shown->after->listing.archive.archive_size, new_size));
}

cubinet_status diff_print(const struct diff_shown *shown)
{
    static const char *const headings[] = {"MODULE", "TARGET", "NAME", "WHAT", "OLD", "NEW", "CHANGE", ""};
    if (shown->diff->count == 0) {
        return CUBINET_OK; /* as diff does */
    }
    struct text_table table = {.alignment = "llllrrrl"};
    for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
        text_table_add(&table, "%s", headings[i]);
    }
    for (size_t i = 0; i < shown->diff->count; i++) {
        add_row(&table, &shown->diff->items[i], shown->criteria);
    }
    cubinet_status status = text_table_print(&table, 0, stdout);
    if (!status) {
        print_summary(shown);
    }
    return status;
}

static json_t *number_json(double number)
{
    return is_whole(number) ? json_integer((json_int_t)number) : json_real(number);
}

json_t *diff_value_json(const struct difference_value *value)
{
    if (!value->known) {
        return json_null();
    }
    if (value->count == 1) {
        return number_json(value->numbers[0]);
    }
    json_t *array = json_array();
    for (size_t i = 0; i < value->count; i++) {
        json_array_append_new(array, number_json(value->numbers[i]));
    }
    return array;
}

static json_t *difference_json(const struct difference *difference, const struct diff_criteria *criteria)
{
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:s, s:s}", "module", json_output_text(difference->module), "target",
                  difference->target[0] ? json_string(difference->target) : json_null(), "name",
                  difference->name ? json_output_text(difference->name) : json_null(), "what",
                  difference->what, "change", side_words[difference->side]);
    if (difference->old_value.count > 0) {
        json_object_set_new(object, "old", diff_value_json(&difference->old_value));
        json_object_set_new(object, "new", diff_value_json(&difference->new_value));
    }
    json_object_set_new(object, "fails", json_boolean(diff_criteria_match(criteria, difference)));
    return object;
}

cubinet_status diff_print_json(const struct diff_shown *shown)
{
    json_t *differences = json_array();
    for (size_t i = 0; i < shown->diff->count; i++) {
        json_array_append_new(differences, difference_json(&shown->diff->items[i], shown->criteria));
    }
    return json_output_print(
        json_pack("{s:o, s:o, s:o}", "old", json_output_archive(&shown->before->listing.archive), "new",
                  json_output_archive(&shown->after->listing.archive), "differences", differences));
}
