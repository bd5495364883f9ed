/* SPDX-License-Identifier: Apache-2.0 */
#include "show/diff_html_parts.h"

#include "base/json_output.h"
#include "loader/core/support/error.h"

#include <string.h>

static double growth(uint64_t before, uint64_t after)
{
    return (double)after - (double)before;
}

static double magnitude(double number)
{
    return number < 0 ? -number : number;
}

static void set_origin(json_t *image, const cubinet_origin *origin)
{
    json_object_set_new(image, "source", json_output_text(origin->source));
    json_object_set_new(image, "compiler", json_output_text(origin->compiler));
    json_object_set_new(image, "options", json_output_lines(origin->options));
}

/* What people see of an image; where it comes from is left out if that is not recorded. */
static cubinet_status image_json(const struct shown_archive *shown, const struct listing_module *module,
                                 uint32_t image, json_t **out_json)
{
    const cubinet_image_info *info = &module->images[image];
    cubinet_origin origin = {.size = sizeof(origin)};
    cubinet_status status = cubinet_archive_get_origin(shown->archive, module->number, image, &origin);
    if (status && status != CUBINET_ERROR_NOT_FOUND) {
        return status;
    }
    *out_json = json_pack("{s:I, s:o}", "bytes", (json_int_t)info->raw_size, "toolkit",
                          json_output_release(info->toolkit));
    if (!status) {
        set_origin(*out_json, &origin);
    }
    return CUBINET_OK;
}

/* Adds the row of an image; `before` and `after`: its JSON, or NULL where it is not. */
static void add_image(struct diff_rows *rows, struct diff_row *row, const struct listing_module *module,
                      cubinet_target target, json_t *before, json_t *after, bool is_new_code)
{
    row->json = json_pack("{s:o, s:o, s:b, s:o?, s:o?}", "module", json_output_text(module->name), "target",
                          json_output_target(target), "code", is_new_code, "old", before, "new", after);
    diff_rows_add(rows, row);
}

static cubinet_status add_lone_image(const struct shown_archive *shown, const struct listing_module *module,
                                     uint32_t image, enum matter matter, struct diff_rows *rows)
{
    json_t *json = NULL;
    cubinet_status status = image_json(shown, module, image, &json);
    if (!status) {
        bool is_added = matter == MATTER_ADDED;
        struct diff_row row = {.matter = matter, .weights = {(double)module->images[image].raw_size}};
        add_image(rows, &row, module, module->images[image].target, is_added ? NULL : json,
                  is_added ? json : NULL, true);
    }
    return status;
}

/* Whether diff_archives() found other code for that target. `codes` has "MODULE\nTARGET". */
static bool is_other_code(json_t *codes, const char *module, cubinet_target target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    struct buffer key = {0};
    buffer_printf(&key, "%s\n%s", module, cubinet_target_name(target, name));
    bool found = !key.failed && json_object_get(codes, key.data);
    buffer_free(&key);
    return found;
}

static cubinet_status compare_images(const struct diff_shown *shown, const struct module_pair *pair,
                                     uint32_t before, uint32_t after, json_t *codes, struct diff_rows *rows)
{
    json_t *old_json = NULL;
    json_t *new_json = NULL;
    cubinet_status status = image_json(shown->before, pair->before, before, &old_json);
    if (!status) {
        status = image_json(shown->after, pair->after, after, &new_json);
    }
    cubinet_target target = pair->after->images[after].target;
    bool is_new_code = is_other_code(codes, pair->after->name, target);
    if (status || (!is_new_code && json_equal(old_json, new_json))) {
        json_decref(old_json);
        json_decref(new_json);
        return status;
    }
    double bytes = growth(pair->before->images[before].raw_size, pair->after->images[after].raw_size);
    struct diff_row row = {.matter = MATTER_CHANGED, .weights = {magnitude(bytes), is_new_code}};
    add_image(rows, &row, pair->after, target, old_json, new_json, is_new_code);
    return CUBINET_OK;
}

/* Archives list images in cubinet_target_compare()'s order. */
static cubinet_status compare_all_images(const struct diff_shown *shown, const struct module_pair *pair,
                                         json_t *codes, struct diff_rows *rows)
{
    const struct listing_module *before = pair->before;
    const struct listing_module *after = pair->after;
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0, j = 0; !status && (i < before->image_count || j < after->image_count);) {
        int order = i == before->image_count ? 1
                    : j == after->image_count
                        ? -1
                        : cubinet_target_compare(before->images[i].target, after->images[j].target);
        if (order < 0) {
            status = add_lone_image(shown->before, before, i++, MATTER_REMOVED, rows);
        } else if (order > 0) {
            status = add_lone_image(shown->after, after, j++, MATTER_ADDED, rows);
        } else {
            status = compare_images(shown, pair, i++, j++, codes, rows);
        }
    }
    return status;
}

static json_t *other_codes(const struct diff *diff)
{
    json_t *codes = json_object();
    for (size_t i = 0; i < diff->count; i++) {
        const struct difference *item = &diff->items[i];
        struct buffer key = {0};
        if (strcmp(item->what, "code") == 0) {
            buffer_printf(&key, "%s\n%s", item->module, item->target);
            json_object_set_new_nocheck(codes, key.failed ? "" : key.data, json_true());
        }
        if (key.failed) {
            json_output_lost();
        }
        buffer_free(&key);
    }
    return codes;
}

cubinet_status diff_html_images(const struct diff_shown *shown, const struct module_pairs *pairs,
                                json_t **out_rows)
{
    struct diff_rows rows = {0};
    json_t *codes = other_codes(shown->diff);
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < pairs->count; i++) {
        if (pairs->items[i].before && pairs->items[i].after) {
            status = compare_all_images(shown, &pairs->items[i], codes, &rows);
        }
    }
    json_decref(codes);
    *out_rows = diff_rows_json(&rows);
    return status;
}

/* Null where the module is not. */
static json_t *module_json(const struct listing_module *module)
{
    if (!module) {
        return json_null();
    }
    json_t *targets = json_array();
    for (uint32_t i = 0; i < module->image_count; i++) {
        json_array_append_new(targets, json_output_target(module->images[i].target));
    }
    return json_pack("{s:o, s:I, s:I}", "targets", targets, "kernels", (json_int_t)listing_kernels(module),
                     "bytes", (json_int_t)listing_raw_bytes(module));
}

/* An object whose keys are the modules that something is told of. */
static json_t *told_modules(const struct diff *diff, json_t *images)
{
    json_t *told = json_object();
    for (size_t i = 0; i < diff->count; i++) {
        json_object_set_new_nocheck(told, diff->items[i].module, json_true());
    }
    size_t at;
    json_t *row;
    json_array_foreach(images, at, row)
    {
        json_object_set_new_nocheck(told, json_string_value(json_object_get(row, "module")), json_true());
    }
    return told;
}

json_t *diff_html_modules(const struct diff_shown *shown, const struct module_pairs *pairs, json_t *images)
{
    struct diff_rows rows = {0};
    json_t *told = told_modules(shown->diff, images);
    for (size_t i = 0; i < pairs->count; i++) {
        const struct module_pair *pair = &pairs->items[i];
        const char *name = pair->after ? pair->after->name : pair->before->name;
        if (!json_object_get(told, name)) {
            continue;
        }
        double bytes = growth(pair->before ? listing_raw_bytes(pair->before) : 0,
                              pair->after ? listing_raw_bytes(pair->after) : 0);
        struct diff_row row = {.matter = !pair->after    ? MATTER_REMOVED
                                         : !pair->before ? MATTER_ADDED
                                                         : MATTER_CHANGED,
                               .weights = {magnitude(bytes)},
                               .json = json_pack("{s:o, s:o, s:o}", "module", json_output_text(name), "old",
                                                 module_json(pair->before), "new", module_json(pair->after))};
        diff_rows_add(&rows, &row);
    }
    json_decref(told);
    return diff_rows_json(&rows);
}
