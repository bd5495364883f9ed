/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/report.h"

#include "base/text_table.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

const char *report_time(double nanoseconds, char text[TIME_TEXT_SIZE])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    while (nanoseconds >= 999.5 && unit < 3) {
        nanoseconds /= 1000;
        unit++;
    }
    snprintf(text, TIME_TEXT_SIZE, "%.3g %s", nanoseconds, units[unit]);
    return text;
}

const char *report_extent(const struct tune_set *set, uint32_t extent, char text[EXTENT_TEXT_SIZE])
{
    int size = 0;
    for (uint32_t i = 0; i < set->dimensions; i++) {
        size += snprintf(text + size, EXTENT_TEXT_SIZE - (size_t)size, "%s%llu", i ? " × " : "",
                         (unsigned long long)set->extents[extent].sides[i]);
    }
    return text;
}

static void write_choice(const struct tune_set *set, const struct outcome *outcome, struct buffer *text)
{
    char time[TIME_TEXT_SIZE];
    char noise[TIME_TEXT_SIZE];
    const struct trial *chosen = &outcome->trials[outcome->chosen];
    candidate_write(set, &chosen->candidate, text);
    buffer_printf(text, ": %s ± %s", report_time(chosen->time, time), report_time(chosen->noise, noise));
    if (outcome_keeps_default(outcome)) {
        buffer_puts(text, ", the default stays");
    } else if (outcome->has_default) {
        buffer_printf(text, ", %.2f times as fast as untuned (%s)", outcome_gain(outcome),
                      report_time(outcome->trials[0].time, time));
    }
}

cubinet_status report_line(const struct tune_set *set, const struct outcome *outcome, bool with_gpu,
                           FILE *file)
{
    struct buffer text = {0};
    char extent[EXTENT_TEXT_SIZE];
    buffer_printf(&text, "%s, %s", set->name, report_extent(set, outcome->extent, extent));
    if (with_gpu) {
        buffer_printf(&text, ", on %s", outcome->gpu);
    }
    buffer_puts(&text, ": ");
    if (outcome->error) {
        buffer_puts(&text, outcome->error);
    } else {
        write_choice(set, outcome, &text);
    }
    cubinet_status status = text.failed ? cbn_error_memory() : CUBINET_OK;
    if (!status) {
        fprintf(file, "%s\n", text.data);
    }
    buffer_free(&text);
    return status;
}

/* Times first, by time; then the rest as it was. */
static int compare_trials(const void *a, const void *b)
{
    const struct trial *left = *(const struct trial *const *)a;
    const struct trial *right = *(const struct trial *const *)b;
    bool is_timed = left->state == TRIAL_TIMED;
    if (is_timed != (right->state == TRIAL_TIMED)) {
        return is_timed ? -1 : 1;
    }
    if (is_timed && left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    return left < right ? -1 : left > right;
}

static void add_row(const struct tune_set *set, const struct outcome *outcome, const struct trial *trial,
                    struct text_table *table)
{
    char time[TIME_TEXT_SIZE];
    char noise[TIME_TEXT_SIZE];
    struct buffer text = {0};
    size_t number = (size_t)(trial - outcome->trials);
    candidate_write(set, &trial->candidate, &text);
    if (trial->state == TRIAL_TIMED) {
        text_table_add(table, "%s", report_time(trial->time, time));
        text_table_add(table, "± %s", report_time(trial->noise, noise));
        text_table_add(table, "%u", trial->used);
    } else {
        for (int i = 0; i < 3; i++) {
            text_table_add(table, "-");
        }
    }
    const char *mark = number == outcome->chosen             ? " (chosen)"
                       : outcome->has_default && number == 0 ? " (untuned)"
                                                             : "";
    text_table_add(table, "%s%s%s%s", text.data ? text.data : "", mark, trial->reason ? ": " : "",
                   trial->reason ? trial->reason : "");
    table->cells.failed |= text.failed;
    buffer_free(&text);
}

cubinet_status report_times(const struct tune_set *set, const struct outcome *outcome, FILE *file)
{
    struct text_table table = {.alignment = "rrrl"};
    const struct trial **order = calloc(outcome->trial_count + 1, sizeof(struct trial *));
    if (!order) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < outcome->trial_count; i++) {
        order[i] = &outcome->trials[i];
    }
    qsort(order, outcome->trial_count, sizeof(struct trial *), compare_trials);
    for (size_t i = 0; i < outcome->trial_count; i++) {
        add_row(set, outcome, order[i], &table);
    }
    free(order);
    return text_table_print(&table, 2, file);
}
