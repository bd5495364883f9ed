/* SPDX-License-Identifier: Apache-2.0 */
#include "show/tuning_show.h"

#include "base/text_table.h"
#include "loader/core/support/error.h"

#include <string.h>
#include <time.h>

static void append_sides(struct buffer *text, const uint32_t sides[3])
{
    buffer_printf(text, "%u", sides[0]);
    if (sides[1] > 1 || sides[2] > 1) {
        buffer_printf(text, "x%u", sides[1]);
    }
    if (sides[2] > 1) {
        buffer_printf(text, "x%u", sides[2]);
    }
}

static void append_value(struct buffer *text, const uint32_t value[3])
{
    uint32_t sides[3];
    for (int i = 0; i < 3; i++) {
        sides[i] = value[i] ? value[i] : 1;
    }
    append_sides(text, sides);
}

static void append_grid(struct buffer *text, const cubinet_tuning *tuning)
{
    static const char *const rules[] = {
        [CUBINET_GRID_FIXED] = " blocks",
        [CUBINET_GRID_PER_BLOCK] = " elements a block",
        [CUBINET_GRID_PER_THREAD] = " elements a thread",
        [CUBINET_GRID_FLAT] = " elements a block, in a row",
    };
    bool is_known = tuning->grid_rule > 0 && tuning->grid_rule < sizeof(rules) / sizeof(rules[0]);
    buffer_puts(text, ", ");
    append_value(text, tuning->grid_value);
    buffer_puts(text, is_known ? rules[tuning->grid_rule] : " by another rule");
    for (int i = 0; i < 3; i++) {
        if (tuning->grid_limit[i]) {
            buffer_printf(text, ", at most %u blocks along %c", tuning->grid_limit[i], "xyz"[i]);
        }
    }
}

void tuning_append_launch(const cubinet_tuning *tuning, struct buffer *text)
{
    buffer_puts(text, "block of ");
    append_sides(text, tuning->block);
    append_grid(text, tuning);
    if (tuning->cluster[0]) {
        buffer_puts(text, ", cluster of ");
        append_sides(text, tuning->cluster);
    }
    if (tuning->dynamic_shared_bytes) {
        buffer_printf(text, ", %u bytes of dynamic shared memory", tuning->dynamic_shared_bytes);
    }
    if (tuning->flags & CUBINET_TUNING_COOPERATIVE) {
        buffer_puts(text, ", cooperative");
    }
}

void tuning_append_void(const struct listing_module *module, const cubinet_tuning *tuning,
                        struct buffer *text)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_target_name(tuning->target, name);
    if (tuning->image != CUBINET_UNKNOWN) {
        return;
    }
    for (uint32_t i = 0; i < module->image_count; i++) {
        if (cubinet_target_compare(module->images[i].target, tuning->target) == 0) {
            buffer_printf(text, "the image for %s has changed since", name);
            return;
        }
    }
    buffer_printf(text, "the image for %s is gone", name);
}

const char *tuning_kernel_name(const struct listing_module *module, const char *lowered)
{
    uint32_t kernel;
    return listing_find_kernel(module, lowered, &kernel) ? module->kernel_names[kernel] : lowered;
}

static const char *before_next(const struct buffer *text)
{
    return text->size ? ", " : "";
}

static void append_notes(const struct listing_module *module, const cubinet_tuning *tuning,
                         struct buffer *text)
{
    if (tuning->image == CUBINET_UNKNOWN) {
        buffer_puts(text, "void: ");
        tuning_append_void(module, tuning, text);
    }
    if (tuning->flags & CUBINET_TUNING_DEFAULT) {
        buffer_printf(text, "%sthe default stays", before_next(text));
    }
    if (tuning->flags & CUBINET_TUNING_COLD) {
        buffer_printf(text, "%scold caches", before_next(text));
    }
    if (tuning->flags & CUBINET_TUNING_CHECKED) {
        buffer_printf(text, "%sresults checked", before_next(text));
    }
}

static void append_date(struct buffer *text, uint64_t date)
{
    const time_t seconds = (time_t)date;
    struct tm parts;
    char day[64];
    if (gmtime_r(&seconds, &parts) && strftime(day, sizeof(day), "%Y-%m-%d", &parts)) {
        buffer_puts(text, day);
    } else {
        buffer_printf(text, "%llu s", (unsigned long long)date);
    }
}

/* Adds a buffer's text as a cell, and empties it. */
static void add_cell(struct text_table *table, struct buffer *text)
{
    text_table_add(table, "%s", text->size ? text->data : "");
    table->cells.failed = table->cells.failed || text->failed;
    buffer_free(text);
    *text = (struct buffer){0};
}

static void add_time(struct text_table *table, uint64_t time, uint64_t noise)
{
    if (time) {
        text_table_add(table, "%llu +- %llu ns", (unsigned long long)time, (unsigned long long)noise);
    } else {
        text_table_add(table, "?");
    }
}

static void add_extent(struct text_table *table, const uint64_t extent[3])
{
    if (extent[1] == 1 && extent[2] == 1) {
        text_table_add(table, "%llu", (unsigned long long)extent[0]);
    } else {
        text_table_add(table, "%llux%llux%llu", (unsigned long long)extent[0], (unsigned long long)extent[1],
                       (unsigned long long)extent[2]);
    }
}

static void add_record(struct text_table *table, const struct listing_module *module,
                       const cubinet_tuning *tuning)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    struct buffer text = {0};
    text_table_add(table, "%s, %u SMs", tuning->gpu, tuning->multiprocessor_count);
    text_table_add(table, "%s", cubinet_target_name(tuning->target, name));
    add_extent(table, tuning->extent);
    text_table_add(table, "%s", tuning_kernel_name(module, tuning->kernel));
    tuning_append_launch(tuning, &text);
    add_cell(table, &text);
    add_time(table, tuning->time_ns, tuning->noise_ns);
    add_time(table, tuning->untuned_time_ns, tuning->untuned_noise_ns);
    append_date(&text, tuning->date);
    add_cell(table, &text);
    append_notes(module, tuning, &text);
    add_cell(table, &text);
}

static void add_headings(struct text_table *table)
{
    static const char *const headings[] = {"GPU",  "IMAGE",   "EXTENT", "KERNEL", "LAUNCH",
                                           "TIME", "UNTUNED", "DATE",   "NOTES"};
    *table = (struct text_table){.alignment = "llrllrrll"};
    for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
        text_table_add(table, "%s", headings[i]);
    }
}

static void print_heading(const struct listing_module *module, const cubinet_tuning *set)
{
    const char *what = tuning_kernel_name(module, set->what);
    printf("\n  tuned: %s", what);
    if (set->instance_count > 1 || strcmp(set->what, set->kernel) != 0) {
        printf(" (%u instance%s, by default %s)", set->instance_count, set->instance_count == 1 ? "" : "s",
               tuning_kernel_name(module, set->default_kernel));
    }
    putchar('\n');
}

cubinet_status tuning_print(const struct shown_archive *shown, const struct listing_module *module)
{
    uint32_t count = 0;
    struct text_table table = {0};
    cubinet_tuning last = {.what = NULL};
    cubinet_status status = cubinet_archive_get_tuning_count(shown->archive, module->number, &count);
    for (uint32_t i = 0; !status && i < count; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning)};
        status = cubinet_archive_get_tuning(shown->archive, module->number, i, &tuning);
        if (!status && tuning.what != last.what) { /* one string for each that was tuned */
            status = last.what ? text_table_print(&table, 4, stdout) : CUBINET_OK;
            print_heading(module, &tuning);
            add_headings(&table);
        }
        if (!status) {
            add_record(&table, module, &tuning);
        }
        last = tuning;
    }
    if (status || !last.what) {
        buffer_free(&table.cells);
        return status;
    }
    return text_table_print(&table, 4, stdout);
}
