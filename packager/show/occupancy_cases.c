/* SPDX-License-Identifier: Apache-2.0 */
#include "show/occupancy_cases.h"

#include "base/array.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "loader/core/support/nearest.h"
#include "loader/core/support/volume.h"

#include <cubinet/launch_record.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cubinet_status add(struct occupancy_cases *cases, const struct occupancy_case *item)
{
    struct occupancy_case *items = array_grow(cases->items, cases->count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    cases->items = items;
    items[cases->count++] = *item;
    return CUBINET_OK;
}

/* Where kernels are asked about: an image of a module, and a device that it runs on. */
struct place {
    const struct listing_module *module;
    uint32_t image;
    int compute;
    cubinet_device_limits limits;
};

/* With fewer registers larger blocks are possible: what bounds them then is what the source says. */
static void apply_request(const struct occupancy_request *request, cubinet_kernel_resources *resources)
{
    if (request->max_registers && request->max_registers < resources->registers) { /* or they are unknown */
        resources->registers = request->max_registers;
        resources->max_threads_per_block = CUBINET_UNKNOWN;
    }
}

/* What is not asked for is as the launch record has it. */
static cubinet_status take_launch(const struct shown_archive *shown, const struct occupancy_request *request,
                                  uint32_t kernel, struct occupancy_case *item)
{
    cubinet_launch_record record = {.size = sizeof(record)};
    cubinet_status status =
        cubinet_archive_get_launch_record(shown->archive, item->module->number, item->image, kernel, &record);
    if (status) {
        return status;
    }
    bool is_known = record.dynamic_shared_bytes != CUBINET_UNKNOWN;
    bool is_left_out = !request->has_dynamic_shared;
    item->dynamic_shared_bytes =
        is_left_out && is_known ? record.dynamic_shared_bytes : request->dynamic_shared_bytes;
    item->lacks_dynamic_shared =
        is_left_out && !is_known && (record.flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED);
    item->own_block = (uint32_t)cbn_recorded_volume(record.block);
    return CUBINET_OK;
}

static cubinet_status add_kernel(const struct shown_archive *shown, const struct occupancy_request *request,
                                 const struct place *place, uint32_t kernel, struct occupancy_cases *cases)
{
    struct occupancy_case item = {
        .module = place->module,
        .image = place->image,
        .kernel = &place->module->kernels[kernel],
        .compute = place->compute,
        .limits = place->limits,
    };
    bool held;
    cubinet_status status =
        listing_resources(shown->archive, place->module, place->image, kernel, &item.resources, &held);
    if (status || !held) {
        return status;
    }
    status = take_launch(shown, request, kernel, &item);
    if (status) {
        return status;
    }
    apply_request(request, &item.resources);
    if (item.resources.registers == CUBINET_UNKNOWN ||
        item.resources.static_shared_bytes == CUBINET_UNKNOWN) {
        return CUBINET_OK;
    }
    return add(cases, &item);
}

/* The places of a module, a cubin each, on its own compute capability. One whose capability is not known is
 * left out. */
static size_t image_places(const struct listing_module *module, struct place *places)
{
    size_t count = 0;
    for (uint32_t i = 0; i < module->image_count; i++) {
        const cubinet_target *target = &module->images[i].target;
        struct place *place = &places[count];
        *place = (struct place){.module = module,
                                .image = i,
                                .compute = target->number,
                                .limits = {.size = sizeof(place->limits)}};
        if (target->kind != CUBINET_IMAGE_CUBIN) {
            continue;
        }
        if (cubinet_device_limits_of_compute(target->number / 10, target->number % 10, &place->limits) ==
            CUBINET_OK) {
            count++;
        } else {
            command_warning("module '%s': %s", module->name, cubinet_error_message());
        }
    }
    return count;
}

static void warn_of_image(const struct occupancy_request *request, const struct listing_module *module,
                          const struct explain_device *device, const struct ranking *ranking)
{
    if (ranking->candidates == 0) {
        command_warning("module '%s' has no image that runs on %s", module->name, device->label);
        return;
    }
    const cubinet_target *target = &module->images[ranking->verdicts[0].image].target;
    if (target->kind != CUBINET_IMAGE_CUBIN && !request->max_registers) {
        char name[CUBINET_TARGET_NAME_SIZE];
        command_warning(
            "module '%s' is %s for %s, which does not show registers; use --maxregs N to assume N of them",
            module->name, cubinet_target_name(*target, name), device->label);
    }
}

/* The places of a module on the devices that were named: the image that each gets. */
static cubinet_status device_places(const struct occupancy_request *request,
                                    const struct listing_module *module, struct place *places,
                                    size_t *out_count)
{
    *out_count = 0;
    for (size_t i = 0; i < request->devices.count; i++) {
        const struct explain_device *device = &request->devices.devices[i];
        struct place *place = &places[*out_count];
        *place = (struct place){.module = module,
                                .compute = 10 * device->profile.compute_major + device->profile.compute_minor,
                                .limits = {.size = sizeof(place->limits)}};
        cubinet_status status = cubinet_device_limits_of_compute(
            device->profile.compute_major, device->profile.compute_minor, &place->limits);
        struct ranking ranking = {0};
        if (!status) {
            cubinet_device_profile profile = coverage_device(module, place->compute);
            status = ranking_make(module, &profile, NULL, &ranking);
        }
        if (status) {
            return status;
        }
        warn_of_image(request, module, device, &ranking);
        if (ranking.candidates) {
            place->image = ranking.verdicts[0].image;
            (*out_count)++;
        }
        ranking_free(&ranking);
    }
    return CUBINET_OK;
}

/* Whether two kernels were made by one expression: the lowered name of one whose signature has a type of
 * CUB's tells the architecture, so each image may have a kernel of its own. */
static bool is_same(const struct listing_module *module, uint32_t a, uint32_t b)
{
    return a == b || cbn_expression_equal(module->kernels[a].expression, module->kernels[b].expression);
}

static cubinet_status add_places(const struct shown_archive *shown, const struct occupancy_request *request,
                                 const struct listing_module *module, const struct place *places,
                                 size_t place_count, struct occupancy_cases *cases)
{
    uint32_t wanted = 0;
    if (request->kernel &&
        cubinet_archive_find_kernel(shown->archive, module->number, request->kernel, &wanted)) {
        return CUBINET_OK; /* it may be in another module */
    }
    cubinet_status status = CUBINET_OK;
    for (uint32_t kernel = 0; !status && kernel < module->kernel_count; kernel++) {
        bool shows = !request->kernel || is_same(module, wanted, kernel);
        for (size_t i = 0; shows && !status && i < place_count; i++) {
            status = add_kernel(shown, request, &places[i], kernel, cases);
        }
    }
    return status;
}

static bool has_kernel(const struct shown_archive *shown, const struct listing_module *module,
                       const char *kernel)
{
    uint32_t found;
    return !kernel || cubinet_archive_find_kernel(shown->archive, module->number, kernel, &found) == 0;
}

static cubinet_status add_module(const struct shown_archive *shown, const struct occupancy_request *request,
                                 const struct listing_module *module, struct occupancy_cases *cases)
{
    size_t most = module->image_count > request->devices.count ? module->image_count : request->devices.count;
    struct place *places = calloc(most + 1, sizeof(*places));
    if (!places) {
        return cbn_error_memory();
    }
    size_t count = 0;
    cubinet_status status = CUBINET_OK;
    if (request->devices.count) {
        status = device_places(request, module, places, &count);
    } else {
        count = image_places(module, places);
    }
    if (!status) {
        status = add_places(shown, request, module, places, count, cases);
    }
    free(places);
    return status;
}

static cubinet_status fail_kernel(const struct shown_archive *shown, const char *kernel)
{
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, kernel, strlen(kernel));
    for (uint32_t i = 0; i < shown->listing.module_count; i++) {
        const struct listing_module *module = &shown->listing.modules[i];
        if (cbn_archive_is_ambiguous(shown->archive, module->number, kernel)) {
            uint32_t found;
            return cubinet_archive_find_kernel(shown->archive, module->number, kernel, &found);
        }
        for (uint32_t j = 0; j < module->kernel_count; j++) {
            cbn_nearest_offer(&nearest, module->kernels[j].expression);
        }
    }
    const char *found = cbn_nearest_found(&nearest);
    return cbn_error(CUBINET_ERROR_NOT_FOUND, "'%s' has no kernel '%s'%s%s%s", shown->path, kernel,
                     found ? "; the nearest is '" : "", found ? found : "", found ? "'" : "");
}

cubinet_status occupancy_cases_make(const struct shown_archive *shown,
                                    const struct occupancy_request *request,
                                    struct occupancy_cases *out_cases)
{
    struct occupancy_cases cases = {0};
    cubinet_status status = CUBINET_OK;
    bool found = false;
    for (uint32_t i = 0; !status && i < shown->listing.module_count; i++) {
        const struct listing_module *module = &shown->listing.modules[i];
        if (has_kernel(shown, module, request->kernel)) {
            found = true;
            status = add_module(shown, request, module, &cases);
        }
    }
    if (!status && request->kernel && !found) {
        status = fail_kernel(shown, request->kernel);
    }
    if (status) {
        occupancy_cases_free(&cases);
        return status;
    }
    *out_cases = cases;
    return CUBINET_OK;
}

void occupancy_cases_free(struct occupancy_cases *cases)
{
    free(cases->items);
    *cases = (struct occupancy_cases){0};
}

size_t occupancy_cases_same_kernel(const struct occupancy_cases *cases, size_t first)
{
    size_t end = first;
    while (end < cases->count && cases->items[end].kernel == cases->items[first].kernel) {
        end++;
    }
    return end;
}

void occupancy_warn_of_shared(const struct occupancy_cases *cases)
{
    const cubinet_kernel_info *previous = NULL;
    for (size_t i = 0; i < cases->count; i++) {
        const struct occupancy_case *item = &cases->items[i];
        if (item->lacks_dynamic_shared && item->kernel != previous) {
            command_warning("kernel '%s' of module '%s' takes dynamic shared memory, and how much is not "
                            "recorded: none is counted; --smem BYTES says how much",
                            listing_kernel_name(item->module, item->kernel), item->module->name);
            previous = item->kernel;
        }
    }
}

struct block_sizes occupancy_block_sizes(const struct occupancy_case *item)
{
    const cubinet_kernel_resources *resources = &item->resources;
    uint64_t required = cbn_recorded_volume(resources->required_block);
    uint64_t bounds = cbn_recorded_volume(resources->max_block);
    uint32_t warp = item->limits.warp_size;
    uint32_t most = item->limits.max_threads_per_block;
    required = required ? required : item->own_block;
    if (required && required <= most) {
        return (struct block_sizes){(uint32_t)required, (uint32_t)required, warp};
    }
    if (resources->max_threads_per_block && resources->max_threads_per_block < most) {
        most = resources->max_threads_per_block;
    }
    if (bounds && bounds < most) {
        most = (uint32_t)bounds;
    }
    return (struct block_sizes){.first = most < warp ? most : warp, .last = most, .step = warp};
}

uint32_t occupancy_next_block(const struct block_sizes *sizes, uint32_t block)
{
    uint32_t left = sizes->last - block;
    return left == 0 ? 0 : block + (left < sizes->step ? left : sizes->step);
}

cubinet_occupancy occupancy_at(const struct occupancy_case *item, uint32_t block_threads)
{
    /* It can fail for arguments that are out of range, which cases have none of. */
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    cubinet_occupancy_compute(&item->limits, &item->resources, block_threads, item->dynamic_shared_bytes,
                              &occupancy);
    return occupancy;
}

cubinet_occupancy occupancy_best(const struct occupancy_case *item, uint32_t *out_block_threads)
{
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    if (item->own_block) {
        occupancy = occupancy_at(item, item->own_block);
        *out_block_threads = occupancy.active_blocks_per_multiprocessor ? item->own_block : 0;
        return occupancy;
    }
    cubinet_block_size_options options = {.size = sizeof(options),
                                          .dynamic_shared_bytes = item->dynamic_shared_bytes};
    *out_block_threads = 0;
    cubinet_occupancy_max_block_size(&item->limits, &item->resources, &options, out_block_threads,
                                     &occupancy);
    return occupancy;
}

const char *occupancy_place(const struct occupancy_case *item, char text[CASE_PLACE_SIZE])
{
    cubinet_target target = item->module->images[item->image].target;
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_target_name(target, name);
    if (target.kind == CUBINET_IMAGE_CUBIN && target.number == item->compute) {
        snprintf(text, CASE_PLACE_SIZE, "%s", name);
    } else {
        snprintf(text, CASE_PLACE_SIZE, "%s on %d.%d", name, item->compute / 10, item->compute % 10);
    }
    return text;
}

const char *occupancy_limiter(const cubinet_occupancy *occupancy, char text[CUBINET_LIMITER_TEXT_SIZE])
{
    cubinet_occupancy_limiter_text(occupancy->limiters, text);
    return text[0] ? text : strcpy(text, "-");
}
