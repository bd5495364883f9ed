/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_output.h"
#include "show/launch_show.h"
#include "show/natural_order.h"
#include "show/report_parts.h"

#include <stdlib.h>
#include <string.h>

/* A kernel of an image, with machine code or without. */
struct kernel_place {
    const struct listing_module *module;
    uint32_t image;
    const cubinet_kernel_info *kernel;
    const cubinet_kernel_resources *resources;
};

static int compare_cases(const void *a, const void *b)
{
    const struct occupancy_case *x = a;
    const struct occupancy_case *y = b;
    int order = natural_order(x->module->name, y->module->name);
    if (order == 0) {
        order = natural_order(listing_kernel_name(x->module, x->kernel),
                              listing_kernel_name(y->module, y->kernel));
    }
    if (order == 0) {
        order = (x->image > y->image) - (x->image < y->image);
    }
    return order ? order : strcmp(x->kernel->name, y->kernel->name);
}

void report_sort_cases(struct occupancy_cases *cases)
{
    if (cases->count > 0) {
        qsort(cases->items, cases->count, sizeof(*cases->items), compare_cases);
    }
}

/* Threads, active blocks and limiters of every block size: short, because there are many. */
static json_t *curve_json(const struct occupancy_case *item)
{
    struct block_sizes sizes = occupancy_block_sizes(item);
    json_t *array = json_array();
    for (uint32_t block = sizes.first; block; block = occupancy_next_block(&sizes, block)) {
        cubinet_occupancy occupancy = occupancy_at(item, block);
        json_array_append_new(array, json_pack("[I, I, I]", (json_int_t)block,
                                               (json_int_t)occupancy.active_blocks_per_multiprocessor,
                                               (json_int_t)occupancy.limiters));
    }
    return array;
}

static json_t *best_json(const struct occupancy_case *item)
{
    uint32_t block;
    cubinet_occupancy best = occupancy_best(item, &block);
    return json_pack("{s:I, s:f, s:I}", "block_threads", (json_int_t)block, "occupancy", best.occupancy,
                     "limiters", (json_int_t)best.limiters);
}

/* Null where they are not known. */
static json_t *params_json(const cubinet_kernel_resources *resources)
{
    if (resources->param_count == CUBINET_UNKNOWN) {
        return json_null();
    }
    json_t *array = json_array();
    for (uint32_t i = 0; i < resources->param_count; i++) {
        json_array_append_new(array, json_pack("[I, I]", (json_int_t)resources->params[i].offset,
                                               (json_int_t)resources->params[i].size));
    }
    return array;
}

static cubinet_status place_json(const struct shown_archive *shown, const struct kernel_place *place,
                                 json_t **out_json)
{
    const cubinet_kernel_resources *resources = place->resources;
    cubinet_launch_record launch = {.size = sizeof(launch)};
    uint32_t number = (uint32_t)(place->kernel - place->module->kernels);
    cubinet_status status = cubinet_archive_get_launch_record(shown->archive, place->module->number,
                                                              place->image, number, &launch);
    if (status) {
        return status;
    }
    *out_json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "module",
                          json_output_text(place->module->name), "kernel",
                          json_output_text(listing_kernel_name(place->module, place->kernel)), "name",
                          json_output_text(place->kernel->name), "target",
                          json_output_target(place->module->images[place->image].target), "registers",
                          json_output_number(resources->registers), "static_shared_bytes",
                          json_output_number(resources->static_shared_bytes), "local_bytes",
                          json_output_number(resources->local_bytes), "spill_store_bytes",
                          json_output_number(resources->spill_store_bytes), "spill_load_bytes",
                          json_output_number(resources->spill_load_bytes), "barriers",
                          json_output_number(resources->barriers), "param_bytes",
                          json_output_number(resources->param_bytes), "params", params_json(resources),
                          "launch", launch_json(&launch));
    return CUBINET_OK;
}

/* Dynamic shared memory is null where the kernel takes some, and nobody says how much. */
static cubinet_status case_json(const struct shown_archive *shown, const struct occupancy_case *item,
                                json_t **out_json)
{
    struct kernel_place place = {item->module, item->image, item->kernel, &item->resources};
    json_t *json = NULL;
    cubinet_status status = place_json(shown, &place, &json);
    if (status) {
        return status;
    }
    json_object_set_new(json, "dynamic_shared_bytes",
                        item->lacks_dynamic_shared ? json_null()
                                                   : json_integer((json_int_t)item->dynamic_shared_bytes));
    json_object_set_new(json, "warp_size", json_integer((json_int_t)item->limits.warp_size));
    json_object_set_new(json, "max_warps_per_multiprocessor",
                        json_integer((json_int_t)item->limits.max_warps_per_multiprocessor));
    json_object_set_new(json, "best", best_json(item));
    json_object_set_new(json, "curve", curve_json(item));
    *out_json = json;
    return report_tunings(shown, item->module, item->image, item->kernel->name, item, json);
}

/* Adds the kernel as its first image has it: PTX, LTO-IR or Tile IR, which tell no resources. */
static cubinet_status add_uncompiled(const struct shown_archive *shown, const struct listing_module *module,
                                     uint32_t kernel, json_t *out_kernels)
{
    cubinet_status status = CUBINET_OK;
    bool held = false;
    for (uint32_t i = 0; !status && !held && i < module->image_count; i++) {
        cubinet_kernel_resources resources;
        status = listing_resources(shown->archive, module, i, kernel, &resources, &held);
        if (!status && held) {
            struct kernel_place place = {module, i, &module->kernels[kernel], &resources};
            json_t *json = NULL;
            status = place_json(shown, &place, &json);
            json_array_append_new(out_kernels, json);
            if (!status) {
                status = report_tunings(shown, module, i, module->kernels[kernel].name, NULL, json);
            }
        }
    }
    return status;
}

/* Adds a module's kernels; *next: the first of its cases, and then the first of the next module's. `told`:
 * the names of its kernels so far. Images may each have a lowered name for the same kernel. */
static cubinet_status add_module(const struct shown_archive *shown, const struct occupancy_cases *cases,
                                 const struct listing_module *module, size_t *next, json_t *told,
                                 json_t *out_kernels)
{
    cubinet_status status = CUBINET_OK;
    for (; !status && *next < cases->count && cases->items[*next].module == module; ++*next) {
        const struct occupancy_case *item = &cases->items[*next];
        json_t *json = NULL;
        status = case_json(shown, item, &json);
        json_array_append_new(out_kernels, json);
        json_object_set_new_nocheck(told, listing_kernel_name(module, item->kernel), json_true());
    }
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        if (!json_object_get(told, module->kernel_names[i])) {
            status = add_uncompiled(shown, module, i, out_kernels);
            json_object_set_new_nocheck(told, module->kernel_names[i], json_true());
        }
    }
    return status;
}

cubinet_status report_kernels(const struct shown_archive *shown, const struct occupancy_cases *cases,
                              const struct listing_module *const *modules, json_t *out_kernels)
{
    cubinet_status status = CUBINET_OK;
    size_t next = 0;
    for (uint32_t i = 0; !status && i < shown->listing.module_count; i++) {
        json_t *told = json_object();
        status = add_module(shown, cases, modules[i], &next, told, out_kernels);
        json_decref(told);
    }
    return status;
}
