/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_output.h"
#include "show/coverage.h"
#include "show/gpus.h"
#include "show/inspect_json.h"
#include "show/report_parts.h"

#include <string.h>

enum { MOST_LARGEST = 3 /* modules that are named */ };

/* The generations to which modules get in that way, and how many modules. */
static json_t *gpus_json(json_t *coverage, enum coverage_way way)
{
    json_t *array = json_array();
    for (size_t i = 0; i < gpu_generation_count; i++) {
        size_t count = 0;
        size_t at;
        json_t *row;
        json_array_foreach(coverage, at, row)
        {
            const char *word = json_string_value(json_array_get(json_object_get(row, "words"), i));
            count += word && report_coverage_way(word) == way
                         ? json_array_size(json_object_get(row, "modules"))
                         : 0;
        }
        int compute = gpu_generations[i].compute;
        if (count > 0) {
            json_array_append_new(array,
                                  json_pack("{s:s, s:o, s:I}", "name", gpu_generations[i].name, "device",
                                            json_sprintf("%d.%d", compute / 10, compute % 10), "modules",
                                            (json_int_t)count));
        }
    }
    return array;
}

/* How many modules have nothing for GPUs still to come. */
static cubinet_status count_ending(const struct listing *listing, json_int_t *out_count)
{
    cubinet_status status = CUBINET_OK;
    *out_count = 0;
    for (uint32_t i = 0; !status && i < listing->module_count; i++) {
        bool covered = true;
        status = coverage_of_future(&listing->modules[i], &covered);
        *out_count += !covered;
    }
    return status;
}

/* Bytes of the stores and loads; 0 if they are not known. */
static uint64_t spilled_bytes(const struct occupancy_case *item)
{
    if (item->resources.spill_store_bytes == CUBINET_UNKNOWN) {
        return 0;
    }
    return (uint64_t)item->resources.spill_store_bytes + item->resources.spill_load_bytes;
}

static json_t *worst_json(const struct occupancy_case *item)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "module", json_output_text(item->module->name),
                     "kernel", json_output_text(listing_kernel_name(item->module, item->kernel)), "name",
                     json_output_text(item->kernel->name), "target",
                     json_output_target(item->module->images[item->image].target), "spill_store_bytes",
                     json_output_number(item->resources.spill_store_bytes), "spill_load_bytes",
                     json_output_number(item->resources.spill_load_bytes));
}

/* The end of the cases that people take for the same kernel as the one at `first`: images may each have a
 * lowered name of their own. */
static size_t same_kernel_end(const struct occupancy_cases *cases, size_t first)
{
    const struct occupancy_case *item = &cases->items[first];
    const char *name = listing_kernel_name(item->module, item->kernel);
    size_t end = first + 1;
    while (end < cases->count && cases->items[end].module == item->module &&
           strcmp(listing_kernel_name(item->module, cases->items[end].kernel), name) == 0) {
        end++;
    }
    return end;
}

/* Kernels are counted, not their images. The cases are sorted by kernel. */
static json_t *spills_json(const struct occupancy_cases *cases)
{
    const struct occupancy_case *worst = NULL;
    json_int_t known = 0;
    json_int_t spilling = 0;
    for (size_t first = 0, end; first < cases->count; first = end) {
        bool is_known = false;
        bool spills = false;
        end = same_kernel_end(cases, first);
        for (size_t i = first; i < end; i++) {
            const struct occupancy_case *item = &cases->items[i];
            uint64_t bytes = spilled_bytes(item);
            is_known = is_known || item->resources.spill_store_bytes != CUBINET_UNKNOWN;
            spills = spills || bytes > 0;
            worst = bytes > (worst ? spilled_bytes(worst) : 0) ? item : worst;
        }
        known += is_known;
        spilling += spills;
    }
    return json_pack("{s:I, s:I, s:o}", "kernels", spilling, "known", known, "worst",
                     worst ? worst_json(worst) : json_null());
}

/* In descending order of size; of equal ones the first. */
static json_t *largest_json(const struct listing_module *const *modules, uint32_t count)
{
    const struct listing_module *largest[MOST_LARGEST + 1] = {NULL};
    for (uint32_t i = 0; i < count; i++) {
        size_t at = MOST_LARGEST;
        for (; at > 0 &&
               (!largest[at - 1] || listing_stored_bytes(largest[at - 1]) < listing_stored_bytes(modules[i]));
             at--) {
            largest[at] = largest[at - 1];
        }
        largest[at] = modules[i];
    }
    json_t *array = json_array();
    for (size_t i = 0; i < MOST_LARGEST && largest[i]; i++) {
        json_array_append_new(array, json_pack("{s:o, s:I}", "module", json_output_text(largest[i]->name),
                                               "stored_bytes", (json_int_t)listing_stored_bytes(largest[i])));
    }
    return array;
}

cubinet_status report_headline(const struct shown_archive *shown, const struct occupancy_cases *cases,
                               const struct listing_module *const *modules, json_t *coverage,
                               json_t **out_headline)
{
    json_int_t ending;
    cubinet_status status = count_ending(&shown->listing, &ending);
    if (status) {
        return status;
    }
    *out_headline =
        json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "not_run", gpus_json(coverage, COVERAGE_NONE), "jit",
                  gpus_json(coverage, COVERAGE_JIT), "linked", gpus_json(coverage, COVERAGE_LINK),
                  "modules_without_future", ending, "spills", spills_json(cases), "largest",
                  largest_json(modules, shown->listing.module_count), "signers", inspect_signers_json(shown));
    return CUBINET_OK;
}
