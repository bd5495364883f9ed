/* SPDX-License-Identifier: Apache-2.0 */
#include "show/occupancy_output.h"

#include "base/json_output.h"

static json_t *point_json(const cubinet_occupancy *occupancy, uint32_t block_threads)
{
    char limiter[CUBINET_LIMITER_TEXT_SIZE];
    cubinet_occupancy_limiter_text(occupancy->limiters, limiter);
    return json_pack(
        "{s:I, s:I, s:I, s:f, s:s}", "block_threads", (json_int_t)block_threads,
        "active_blocks_per_multiprocessor", (json_int_t)occupancy->active_blocks_per_multiprocessor,
        "active_warps_per_multiprocessor", (json_int_t)occupancy->active_warps_per_multiprocessor,
        "occupancy", occupancy->occupancy, "limiter", limiter);
}

static json_t *points_json(const struct occupancy_case *item, const struct occupancy_request *request)
{
    struct block_sizes sizes = occupancy_block_sizes(item);
    if (request->block_threads) {
        sizes = (struct block_sizes){request->block_threads, request->block_threads, 1};
    }
    json_t *points = json_array();
    for (uint32_t block = sizes.first; block; block = occupancy_next_block(&sizes, block)) {
        cubinet_occupancy occupancy = occupancy_at(item, block);
        json_array_append_new(points, point_json(&occupancy, block));
    }
    return points;
}

static json_t *best_json(const struct occupancy_case *item)
{
    uint32_t block;
    cubinet_occupancy best = occupancy_best(item, &block);
    return point_json(&best, block);
}

/* A case with its curve, or with the one point that was asked for, and the best point. */
static json_t *case_json(const struct occupancy_case *item, const struct occupancy_request *request)
{
    json_t *compute = json_sprintf("%d.%d", item->compute / 10, item->compute % 10);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:b, s:I, s:o, s:o}",
                     "module", json_output_text(item->module->name), "kernel",
                     json_output_text(listing_kernel_name(item->module, item->kernel)), "name",
                     json_output_text(item->kernel->name), "target",
                     json_output_target(item->module->images[item->image].target), "device", compute,
                     "registers", json_output_number(item->resources.registers), "static_shared_bytes",
                     json_output_number(item->resources.static_shared_bytes), "local_bytes",
                     json_output_number(item->resources.local_bytes), "spill_store_bytes",
                     json_output_number(item->resources.spill_store_bytes), "spill_load_bytes",
                     json_output_number(item->resources.spill_load_bytes), "barriers",
                     json_output_number(item->resources.barriers), "dynamic_shared_bytes",
                     (json_int_t)item->dynamic_shared_bytes, "lacks_dynamic_shared",
                     item->lacks_dynamic_shared, "max_warps_per_multiprocessor",
                     (json_int_t)item->limits.max_warps_per_multiprocessor, "best", best_json(item), "points",
                     points_json(item, request));
}

cubinet_status occupancy_print_json(const struct shown_archive *shown, const struct occupancy_cases *cases,
                                    const struct occupancy_request *request)
{
    json_t *kernels = json_array();
    for (size_t i = 0; i < cases->count; i++) {
        json_array_append_new(kernels, case_json(&cases->items[i], request));
    }
    json_t *document = json_output_archive(&shown->listing.archive);
    json_object_set_new(document, "kernels", kernels);
    return json_output_print(document);
}
