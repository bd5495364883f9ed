/* SPDX-License-Identifier: Apache-2.0 */
#include "show/report.h"

#include "base/json_output.h"
#include "base/path.h"
#include "loader/core/support/error.h"
#include "show/gpus.h"
#include "show/occupancy_cases.h"

static json_t *generations_json(void)
{
    json_t *array = json_array();
    for (size_t i = 0; i < gpu_generation_count; i++) {
        int compute = gpu_generations[i].compute;
        json_array_append_new(array, json_pack("{s:s, s:o}", "name", gpu_generations[i].name, "device",
                                               json_sprintf("%d.%d", compute / 10, compute % 10)));
    }
    return array;
}

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

/* The words of `cubinet list`, in the order of the generations. */
static cubinet_status coverage_json(const struct listing_module *module, json_t *out_array)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < gpu_generation_count; i++) {
        char word[COVERAGE_WORD_SIZE];
        status = coverage_word(module, gpu_generations[i].compute, word);
        if (!status) {
            json_array_append_new(out_array, json_string(word));
        }
    }
    return status;
}

static cubinet_status modules_json(const struct listing *listing, json_t *out_array)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < listing->module_count; i++) {
        const struct listing_module *module = &listing->modules[i];
        json_t *coverage = json_array();
        status = coverage_json(module, coverage);
        json_array_append_new(out_array,
                              json_pack("{s:o, s:I, s:o, s:o}", "module", json_output_text(module->name),
                                        "stored_bytes", (json_int_t)listing_stored_bytes(module), "images",
                                        images_json(module), "coverage", coverage));
    }
    return status;
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

/* Null where the kernel takes some, and nobody says how much. */
static json_t *dynamic_json(const struct occupancy_case *item)
{
    return item->lacks_dynamic_shared ? json_null() : json_integer((json_int_t)item->dynamic_shared_bytes);
}

static json_t *case_json(const struct occupancy_case *item)
{
    char place[CASE_PLACE_SIZE];
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o}", "module",
        json_output_text(item->module->name), "kernel",
        json_output_text(listing_kernel_name(item->module, item->kernel)), "name",
        json_output_text(item->kernel->name), "target",
        json_output_target(item->module->images[item->image].target), "place", occupancy_place(item, place),
        "registers", json_output_number(item->resources.registers), "static_shared_bytes",
        json_output_number(item->resources.static_shared_bytes), "dynamic_shared_bytes", dynamic_json(item),
        "local_bytes", json_output_number(item->resources.local_bytes), "spill_store_bytes",
        json_output_number(item->resources.spill_store_bytes), "spill_load_bytes",
        json_output_number(item->resources.spill_load_bytes), "barriers",
        json_output_number(item->resources.barriers), "warp_size", (json_int_t)item->limits.warp_size,
        "max_warps_per_multiprocessor", (json_int_t)item->limits.max_warps_per_multiprocessor, "best",
        best_json(item), "curve", curve_json(item));
}

static cubinet_status kernels_json(const struct shown_archive *shown, json_t *out_array)
{
    struct occupancy_request everything = {0};
    struct occupancy_cases cases = {0};
    cubinet_status status = occupancy_cases_make(shown, &everything, &cases);
    for (size_t i = 0; i < cases.count; i++) {
        json_array_append_new(out_array, case_json(&cases.items[i]));
    }
    occupancy_cases_free(&cases);
    return status;
}

cubinet_status report_data(const struct shown_archive *shown, json_t **out_data)
{
    const char *name = path_name(shown->path); /* the folder is of this machine alone */
    json_t *modules = json_array();
    json_t *kernels = json_array();
    cubinet_status status = modules_json(&shown->listing, modules);
    if (!status) {
        status = kernels_json(shown, kernels);
    }
    json_t *data = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "file", json_output_text(name), "archive",
                             json_output_archive(&shown->listing.archive), "generations", generations_json(),
                             "limiters", limiters_json(), "modules", modules, "kernels", kernels);
    if (!status && !data) {
        status = cbn_error_memory();
    }
    if (status) {
        json_decref(data);
        return status;
    }
    *out_data = data;
    return CUBINET_OK;
}
