/* SPDX-License-Identifier: Apache-2.0 */
#include "command/slice_marks.h"

#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

void slice_marks_free(struct slice_marks *marks)
{
    for (uint32_t i = 0; marks->kept && i < marks->module_count; i++) {
        free(marks->kept[i]);
    }
    free(marks->kept);
}

cubinet_status slice_marks_make(const struct shown_archive *shown, edit_mark_fn mark, const void *user,
                                struct slice_marks *marks)
{
    cubinet_status status = CUBINET_OK;
    marks->module_count = shown->listing.module_count;
    marks->kept = calloc((size_t)marks->module_count + 1, sizeof(bool *));
    if (!marks->kept) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; !status && i < marks->module_count; i++) {
        const struct listing_module *module = &shown->listing.modules[i];
        marks->kept[i] = calloc((size_t)module->image_count + 1, sizeof(bool));
        status = marks->kept[i] ? mark(user, shown, module, marks->kept[i]) : cbn_error_memory();
    }
    return status;
}

bool slice_marks_any(const struct slice_marks *marks, const struct listing_module *module, uint32_t number)
{
    for (uint32_t i = 0; i < module->image_count; i++) {
        if (marks->kept[number][i]) {
            return true;
        }
    }
    return false;
}

/* An image that defines a symbol for others. */
struct definition {
    const char *symbol;
    uint32_t module; /* of the listing */
    uint32_t image;
};

struct needs {
    const struct shown_archive *shown;
    struct slice_marks *marks;
    struct definition *definitions; /* in the order of their symbols */
    size_t count;
    size_t capacity;
    bool has_changed;
};

static int compare_definitions(const void *a, const void *b)
{
    return strcmp(((const struct definition *)a)->symbol, ((const struct definition *)b)->symbol);
}

static cubinet_status add_definition(struct needs *needs, struct definition definition)
{
    if (needs->count == needs->capacity) {
        size_t capacity = needs->capacity ? 2 * needs->capacity : 64;
        struct definition *grown = reallocarray(needs->definitions, capacity, sizeof(*grown));
        if (!grown) {
            return cbn_error_memory();
        }
        needs->definitions = grown;
        needs->capacity = capacity;
    }
    needs->definitions[needs->count++] = definition;
    return CUBINET_OK;
}

static cubinet_status read_symbol(const struct needs *needs, uint32_t module, uint32_t image, uint32_t symbol,
                                  const char **out_name)
{
    cubinet_symbol_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_symbol(
        needs->shown->archive, needs->shown->listing.modules[module].number, image, symbol, &info);
    *out_name = info.name;
    return status;
}

static cubinet_status add_definitions(struct needs *needs, uint32_t module, uint32_t image)
{
    const cubinet_image_info *info = &needs->shown->listing.modules[module].images[image];
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < info->defined_count; i++) {
        struct definition definition = {.module = module, .image = image};
        status = read_symbol(needs, module, image, i, &definition.symbol);
        status = status ? status : add_definition(needs, definition);
    }
    return status;
}

static void mark_definitions(struct needs *needs, const char *symbol)
{
    size_t first = 0;
    for (size_t count = needs->count; count > 0; count /= 2) {
        if (strcmp(needs->definitions[first + count / 2].symbol, symbol) < 0) {
            first += count / 2 + 1;
            count--;
        }
    }
    for (; first < needs->count && strcmp(needs->definitions[first].symbol, symbol) == 0; first++) {
        bool *kept = &needs->marks->kept[needs->definitions[first].module][needs->definitions[first].image];
        needs->has_changed = needs->has_changed || !*kept;
        *kept = true;
    }
}

static cubinet_status mark_needed(struct needs *needs, uint32_t module, uint32_t image)
{
    const cubinet_image_info *info = &needs->shown->listing.modules[module].images[image];
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < info->needed_count; i++) {
        const char *symbol = NULL;
        status = read_symbol(needs, module, image, info->defined_count + i, &symbol);
        if (!status) {
            mark_definitions(needs, symbol);
        }
    }
    return status;
}

/* Calls for every image, or for every marked one. */
static cubinet_status each_image(struct needs *needs, bool marked_only,
                                 cubinet_status (*call)(struct needs *, uint32_t, uint32_t))
{
    cubinet_status status = CUBINET_OK;
    const struct listing *listing = &needs->shown->listing;
    for (uint32_t i = 0; !status && i < listing->module_count; i++) {
        for (uint32_t j = 0; !status && j < listing->modules[i].image_count; j++) {
            if (needs->marks->kept[i][j] || !marked_only) {
                status = call(needs, i, j);
            }
        }
    }
    return status;
}

cubinet_status slice_marks_add_needed(const struct shown_archive *shown, struct slice_marks *marks)
{
    struct needs needs = {.shown = shown, .marks = marks, .has_changed = true};
    cubinet_status status = each_image(&needs, false, add_definitions);
    if (!status && needs.count > 0) {
        qsort(needs.definitions, needs.count, sizeof(*needs.definitions), compare_definitions);
    }
    while (!status && needs.has_changed && needs.count > 0) {
        needs.has_changed = false;
        status = each_image(&needs, true, mark_needed);
    }
    free(needs.definitions);
    return status;
}

/* Adds the images that are marked, or those that are not. */
static cubinet_status add_images(const struct shown_archive *shown, const struct slice_marks *marks,
                                 uint32_t number, bool marked, struct draft *draft)
{
    const struct listing_module *module = &shown->listing.modules[number];
    bool *wanted = calloc((size_t)module->image_count + 1, sizeof(*wanted));
    if (!wanted) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < module->image_count; i++) {
        bool has_parts = module->images[i].part_count > 1;
        wanted[i] = marks->kept[number][i] == marked || (!marked && has_parts && marks->divide_parts);
    }
    cubinet_status status =
        draft_add_archive_images(draft, shown->archive, module->number, wanted, shown->path);
    free(wanted);
    return status;
}

cubinet_status slice_marks_part(const struct shown_archive *shown, const struct slice_marks *marks,
                                struct draft *draft, struct draft *rest)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < marks->module_count; i++) {
        status = add_images(shown, marks, i, true, draft);
        if (!status && rest) {
            status = add_images(shown, marks, i, false, rest);
        }
    }
    return status;
}
