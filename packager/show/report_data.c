/* SPDX-License-Identifier: Apache-2.0 */
#include "show/report.h"

#include "base/json_output.h"
#include "base/path.h"
#include "loader/core/support/error.h"
#include "show/report_parts.h"

#include <stdlib.h>

static json_t *limiters_json(void)
{
    static const uint32_t bits[] = {CUBINET_LIMITER_REGISTERS, CUBINET_LIMITER_SHARED_MEMORY,
                                    CUBINET_LIMITER_WARPS,     CUBINET_LIMITER_BLOCKS,
                                    CUBINET_LIMITER_BARRIERS,  CUBINET_LIMITER_BLOCK_SIZE};
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        char name[CUBINET_LIMITER_TEXT_SIZE];
        cubinet_occupancy_limiter_text(bits[i], name);
        json_array_append_new(array, json_pack("{s:I, s:s}", "bit", (json_int_t)bits[i], "name", name));
    }
    return array;
}

static json_t *images_json(const struct listing_module *module)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < module->image_count; i++) {
        json_t *image = json_pack("{s:o, s:I}", "target", json_output_target(module->images[i].target),
                                  "stored_bytes", (json_int_t)module->images[i].stored_size);
        if (module->images[i].part_count > 1) {
            json_object_set_new(image, "parts", json_integer(module->images[i].part_count));
        }
        json_array_append_new(array, image);
    }
    return array;
}

static json_t *modules_json(const struct listing_module *const *modules, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(array,
                              json_pack("{s:o, s:I, s:o}", "module", json_output_text(modules[i]->name),
                                        "stored_bytes", (json_int_t)listing_stored_bytes(modules[i]),
                                        "images", images_json(modules[i])));
    }
    return array;
}

/* Adds what is found in the modules and kernels, both sorted. */
static cubinet_status add_contents(const struct shown_archive *shown,
                                   const struct listing_module *const *modules,
                                   const struct occupancy_cases *cases, json_t *out_data)
{
    uint32_t count = shown->listing.module_count;
    json_t *coverage = json_array();
    json_t *kernels = json_array();
    json_t *headline = NULL;
    cubinet_status status = report_coverage(modules, count, coverage);
    if (!status) {
        status = report_headline(shown, cases, modules, coverage, &headline);
    }
    if (!status) {
        status = report_kernels(shown, cases, modules, kernels);
    }
    json_object_set_new(out_data, "headline", headline);
    json_object_set_new(out_data, "coverage", coverage);
    json_object_set_new(out_data, "modules", modules_json(modules, count));
    json_object_set_new(out_data, "kernels", kernels);
    return status;
}

static cubinet_status read_contents(const struct shown_archive *shown, json_t *out_data)
{
    struct occupancy_request everything = {0};
    struct occupancy_cases cases = {0};
    const struct listing_module **modules = report_modules(&shown->listing);
    cubinet_status status = modules ? occupancy_cases_make(shown, &everything, &cases) : cbn_error_memory();
    if (!status) {
        report_sort_cases(&cases);
        status = add_contents(shown, modules, &cases, out_data);
    }
    occupancy_cases_free(&cases);
    free(modules);
    return status;
}

cubinet_status report_data(const struct shown_archive *shown, json_t **out_data)
{
    const char *name = path_name(shown->path); /* the folder is of this machine alone */
    json_t *data = json_pack("{s:o, s:o, s:o, s:o}", "file", json_output_text(name), "archive",
                             json_output_archive(&shown->listing.archive), "generations",
                             report_generations(), "limiters", limiters_json());
    cubinet_status status = data ? read_contents(shown, data) : cbn_error_memory();
    if (status) {
        json_decref(data);
        return status;
    }
    *out_data = data;
    return CUBINET_OK;
}
