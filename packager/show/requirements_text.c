/* SPDX-License-Identifier: Apache-2.0 */
#include "show/requirements_output.h"

#include "base/text_table.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static void add_words(struct buffer *text, const char *words)
{
    buffer_printf(text, "%s%s", text->size ? ", " : "", words);
}

static void add_compute(struct buffer *text, int compute)
{
    buffer_printf(text, "%s%d.%d", text->size ? ", " : "", compute / 10, compute % 10);
}

/* Devices of a grid, the last of which stands for GPUs that are still to come: "7.5", "8.7, 9.0 and later".
 */
static void list_devices(const struct requirements_grid *grid, const bool *devices, struct buffer *text)
{
    size_t end = grid->compute_count - 1;
    size_t tail = end;
    while (devices[end] && tail > 0 && devices[tail - 1]) {
        tail--;
    }
    for (size_t device = 0; device < tail; device++) {
        if (devices[device]) {
            add_compute(text, grid->computes[device]);
        }
    }
    if (tail < end) {
        add_compute(text, grid->computes[tail]);
        buffer_puts(text, " and later");
    } else if (devices[end]) {
        add_words(text, "");
        buffer_printf(text, "later than %d.%d", grid->computes[end - 1] / 10, grid->computes[end - 1] % 10);
    }
}

static void write_linkers(uint32_t from, uint32_t before, struct buffer *text)
{
    char first[RELEASE_TEXT_SIZE];
    char end[RELEASE_TEXT_SIZE];
    if (from) {
        buffer_printf(text, ">=%s,<%s", release_text(from, first), release_text(before, end));
    } else {
        buffer_puts(text, "-");
    }
}

static void write_driver(uint32_t driver, struct buffer *text)
{
    char release[RELEASE_TEXT_SIZE];
    if (driver) {
        buffer_printf(text, ">=%s", release_text(driver, release));
    } else {
        buffer_puts(text, "unknown");
    }
}

/* Adds a text as a cell and frees it. */
static void add_cell(struct text_table *table, struct buffer *text)
{
    table->cells.failed = table->cells.failed || text->failed;
    text_table_add(table, "%s", text->data ? text->data : "");
    buffer_free(text);
}

static const char *how_text(unsigned how)
{
    return how == REQUIREMENTS_NATIVE ? "native code"
           : how == REQUIREMENTS_LINK ? "linked by nvJitLink"
           : how == REQUIREMENTS_JIT  ? "compiled by the driver"
                                      : "does not run";
}

struct rows {
    const struct listing *listing;
    struct text_table table;
};

static void add_group_name(struct rows *rows, const struct requirements_group *group)
{
    if (group->count > 1 && group->count == rows->listing->module_count) {
        text_table_add(&rows->table, "all modules");
    } else if (group->count > 1) {
        text_table_add(&rows->table, "%s and %u more", group->first->name, group->count - 1);
    } else {
        text_table_add(&rows->table, "%s", group->first->name);
    }
}

static void add_step(struct rows *rows, const struct requirements_linkers *linkers,
                     const struct requirements_step *step)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    struct buffer driver = {0};
    struct buffer linker = {0};
    write_driver(step->driver, &driver);
    write_linkers(linkers->from, linkers->before, &linker);
    add_cell(&rows->table, &driver);
    add_cell(&rows->table, &linker);
    text_table_add(&rows->table, "%s",
                   step->choice->how ? cubinet_target_name(step->choice->target, name) : "-");
    text_table_add(&rows->table, "%s", how_text(step->choice->how));
}

/* Whether a step only repeats what the device gets without nvJitLink. */
static bool is_without_linker(const struct requirements_table *table, size_t device, size_t driver,
                              const struct requirements_step *step)
{
    return requirements_same_choice(step->choice, requirements_at(table, device, 0, driver));
}

/* The rows of devices that get the same, of which one is given; the first has the group's name if that is not
 * told yet. Takes the text. */
static void add_devices(struct rows *rows, const struct requirements_group *group,
                        const struct requirements_table *table, size_t device, struct buffer *label)
{
    struct requirements_linkers linkers;
    for (size_t range = 0; requirements_next_linkers(table, device, &range, &linkers);) {
        struct requirements_step step;
        for (size_t place = 0; requirements_next_step(table, device, linkers.first, &place, &step);) {
            if (linkers.from && is_without_linker(table, device, place - 1, &step)) {
                continue;
            }
            if (group) {
                add_group_name(rows, group);
            } else {
                text_table_add(&rows->table, "%s", "");
            }
            add_cell(&rows->table, label);
            add_step(rows, &linkers, &step);
            group = NULL;
        }
    }
    buffer_free(label);
}

/* Marks the devices that get what the first of them gets. */
static void find_same(const struct requirements_table *table, size_t first, bool *is_same, bool *is_told)
{
    for (size_t device = 0; device < table->grid->compute_count; device++) {
        is_same[device] = device >= first && requirements_same_device(table, first, device);
        is_told[device] = is_told[device] || is_same[device];
    }
}

static cubinet_status take_group(void *data, const struct requirements_group *group, uint32_t number,
                                 const struct requirements_table *table)
{
    (void)number;
    struct rows *rows = data;
    size_t count = table->grid->compute_count;
    bool *marks = calloc(2 * count, sizeof(*marks));
    if (!marks) {
        return cbn_error_memory();
    }
    bool is_named = false;
    for (size_t device = 0; device < count; device++) {
        if (!marks[device] && requirements_device_runs(table, device)) {
            struct buffer label = {0};
            find_same(table, device, marks + count, marks);
            list_devices(table->grid, marks + count, &label);
            add_devices(rows, is_named ? NULL : group, table, device, &label);
            is_named = true;
        }
    }
    free(marks);
    if (!is_named) {
        add_group_name(rows, group);
        text_table_add(&rows->table, "none");
        text_table_add(&rows->table, "-");
        text_table_add(&rows->table, "-");
        text_table_add(&rows->table, "-");
        text_table_add(&rows->table, "%s", how_text(0));
    }
    return CUBINET_OK;
}

static void add_heading(struct text_table *table)
{
    static const char *const headings[] = {"MODULE", "COMPUTE CAPABILITY", "DRIVER", "NVJITLINK", "IMAGE",
                                           "RUNS AS"};
    for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
        text_table_add(table, "%s", headings[i]);
    }
}

static void add_line(struct text_table *table, const char *label, struct buffer *text)
{
    text_table_add(table, "%s", label);
    add_cell(table, text);
}

static cubinet_status add_running(struct text_table *table, const struct requirements_whole *whole)
{
    const struct requirements_grid *grid = whole->table.grid;
    struct buffer running = {0};
    struct buffer native = {0};
    bool *is_native = calloc(grid->compute_count, sizeof(*is_native));
    if (!is_native) {
        return cbn_error_memory();
    }
    for (size_t device = 0; device < grid->compute_count; device++) {
        is_native[device] = requirements_whole_how(whole, device) == REQUIREMENTS_NATIVE;
    }
    list_devices(grid, whole->runs, &running);
    list_devices(grid, is_native, &native);
    free(is_native);
    if (!running.size) {
        buffer_puts(&running, "no GPU");
    }
    if (!native.size) {
        buffer_puts(&native, "no GPU");
    }
    add_line(table, "every module runs on", &running);
    add_line(table, "as native code on", &native);
    return CUBINET_OK;
}

static void add_software(struct text_table *table, const struct requirements_whole *whole)
{
    struct buffer driver = {0};
    struct buffer linker = {0};
    char release[RELEASE_TEXT_SIZE];
    if (whole->driver) {
        buffer_printf(&driver, "for CUDA %s or later", release_text(whole->driver, release));
    } else {
        buffer_puts(&driver, "newer than those that this Cubinet knows");
    }
    if (!whole->needs_linker) {
        buffer_puts(&linker, "not needed");
    } else if (whole->linker_from) {
        write_linkers(whole->linker_from, whole->linker_before, &linker);
    } else {
        buffer_puts(&linker, "no release serves all of these GPUs");
    }
    if (!whole->needs_linker || whole->linker_from) {
        add_line(table, "driver", &driver);
    }
    buffer_free(&driver);
    add_line(table, "nvJitLink", &linker);
}

/* later: the terms let through GPUs that are still to come, which do not run every module. */
static void add_terms(struct text_table *table, const char *label, const struct requirements_terms *terms,
                      bool later)
{
    for (size_t i = 0; i < terms->terms.count; i++) {
        text_table_add(table, "%s", i == 0 ? label : "");
        text_table_add(table, "%s", terms->terms.items[i]);
    }
    if (terms->terms.count == 0) {
        text_table_add(table, "%s", label);
        text_table_add(table, "can't say it");
    } else if (terms->except.count > 0 || later) {
        struct buffer except = {0};
        for (size_t i = 0; i < terms->except.count; i++) {
            add_words(&except, terms->except.items[i]);
        }
        if (later) {
            buffer_puts(&except, except.size ? " and later GPUs" : "later GPUs");
        }
        table->cells.failed = table->cells.failed || except.failed;
        text_table_add(table, "%s", "");
        text_table_add(table, "(also met by %s, where not every module runs)",
                       except.data ? except.data : "");
        buffer_free(&except);
    }
}

static cubinet_status print_whole(const struct requirements_whole *whole)
{
    struct text_table table = {.alignment = "ll"};
    struct requirements_terms conda = {0};
    struct requirements_terms wheel = {0};
    cubinet_status status = add_running(&table, whole);
    if (!status) {
        status = requirements_conda(whole, &conda);
    }
    if (!status) {
        status = requirements_wheel(whole, &wheel);
    }
    if (!status && whole->has_some) {
        add_software(&table, whole);
        add_terms(&table, "conda", &conda, !whole->later);
        add_terms(&table, "wheel variant", &wheel, false);
    }
    if (!status) {
        putchar('\n');
        status = text_table_print(&table, 0, stdout);
    }
    buffer_free(&table.cells);
    requirements_terms_free(&conda);
    requirements_terms_free(&wheel);
    return status;
}

cubinet_status requirements_print(const struct shown_archive *shown)
{
    struct rows rows = {.listing = &shown->listing, .table = {.alignment = "llllll"}};
    struct requirements_walk walk;
    add_heading(&rows.table);
    cubinet_status status = requirements_walk_make(&shown->listing, take_group, &rows, &walk);
    if (!status) {
        status = text_table_print(&rows.table, 0, stdout);
        if (!status) {
            status = print_whole(&walk.whole);
        }
        requirements_walk_free(&walk);
    }
    buffer_free(&rows.table.cells);
    return status;
}
