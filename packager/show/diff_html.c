/* SPDX-License-Identifier: Apache-2.0 */
#include "show/diff_html.h"

#include "base/json_output.h"
#include "base/path.h"
#include "loader/core/support/error.h"
#include "show/diff_html_parts.h"
#include "show/inspect_json.h"
#include "show/report_page.h"
#include "show/report_parts.h"

#include <string.h>

static json_t *archive_json(const struct shown_archive *shown)
{
    json_t *json = json_output_archive(&shown->listing.archive);
    json_int_t images = 0;
    json_int_t kernels = 0;
    for (uint32_t i = 0; i < shown->listing.module_count; i++) {
        images += shown->listing.modules[i].image_count;
        kernels += listing_kernels(&shown->listing.modules[i]);
    }
    json_object_set_new(json, "file", json_output_text(path_name(shown->path)));
    json_object_set_new(json, "modules", json_integer((json_int_t)shown->listing.module_count));
    json_object_set_new(json, "images", json_integer(images));
    json_object_set_new(json, "kernels", json_integer(kernels));
    json_object_set_new(json, "signers", inspect_signers_json(shown));
    return json;
}

/* Globals, and what fragments define and need. */
static json_t *symbols_json(const struct diff *diff)
{
    static const char *const shown[] = {"global", "export", "import"};
    struct diff_rows rows = {0};
    for (size_t i = 0; i < diff->count; i++) {
        const struct difference *item = &diff->items[i];
        for (size_t j = 0; j < sizeof(shown) / sizeof(shown[0]); j++) {
            if (strcmp(item->what, shown[j]) == 0) {
                struct diff_row row = {
                    .json =
                        json_pack("{s:o, s:s, s:s, s:o}", "module", json_output_text(item->module), "target",
                                  item->target, "what", item->what, "name", json_output_text(item->name)),
                    .matter = item->side == DIFFERENCE_ADDED ? MATTER_ADDED : MATTER_REMOVED};
                diff_rows_add(&rows, &row);
            }
        }
    }
    return diff_rows_json(&rows);
}

static cubinet_status add_rows(const struct diff_shown *shown, const struct module_pairs *pairs, json_t *data)
{
    json_t *coverage = NULL;
    json_t *images = NULL;
    json_t *kernels = NULL;
    cubinet_status status = diff_html_coverage(pairs, &coverage);
    if (!status) {
        status = diff_html_images(shown, pairs, &images);
    }
    if (!status) {
        status = diff_html_kernels(shown, &kernels);
    }
    if (!status) {
        json_object_set_new(data, "modules", diff_html_modules(shown, pairs, images));
        json_object_set_new(data, "symbols", symbols_json(shown->diff));
    }
    json_object_set_new(data, "coverage", coverage);
    json_object_set_new(data, "images", images);
    json_object_set_new(data, "kernels", kernels);
    return status;
}

cubinet_status diff_html_write(const struct diff_shown *shown, const char *path)
{
    struct module_pairs pairs;
    cubinet_status status = module_pairs_make(shown, &pairs);
    if (status) {
        return status;
    }
    json_t *data = json_pack("{s:o, s:o, s:o, s:I}", "old", archive_json(shown->before), "new",
                             archive_json(shown->after), "generations", report_generations(), "differences",
                             (json_int_t)shown->diff->count);
    status = data ? add_rows(shown, &pairs, data) : cbn_error_memory();
    module_pairs_free(&pairs);
    if (status) {
        json_decref(data);
        return status;
    }
    return page_write(diff_template, diff_template_size, data, path);
}
