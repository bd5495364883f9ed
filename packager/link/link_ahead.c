/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_ahead.h"

#include "archive/listing.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/select/select.h"
#include "loader/core/support/error.h"
#include "loader/link/link_load.h"
#include "loader/link/link_obtain.h"

#include <cubinet/select.h>

#include <stdio.h>
#include <stdlib.h>

/* A module that would be loaded on a device. */
struct load {
    const struct link_ahead_request *request;
    const struct link_input *archive;
    const struct listing_module *module;
    cubinet_target device;
};

/* What the module's newest LTO-IR links with. */
static uint32_t newest_floor(const struct listing_module *module)
{
    uint32_t newest = 0;
    for (uint32_t i = 0; i < module->image_count; i++) {
        bool links = module->images[i].target.kind == CUBINET_IMAGE_LTOIR;
        uint32_t floor = links ? cbn_link_floor(&module->images[i]) : 0;
        newest = floor > newest ? floor : newest;
    }
    return newest;
}

/* With a driver that takes every image, what is linked is what no other image can serve. Where there is no
 * nvJitLink here, the device's machine is taken to have one: linking then says what is missing. */
static cubinet_status select_image(const struct load *load, uint32_t *out_image, bool *out_links)
{
    const struct listing_module *module = load->module;
    uint32_t release =
        cbn_link_load_release(module->images, module->image_count, load->device, load->request->nvjitlink, 0);
    const cubinet_device_profile profile = {
        .size = sizeof(profile),
        .compute_major = load->device.number / 10,
        .compute_minor = load->device.number % 10,
        .flags = cubinet_compute_is_tegra(load->device.number / 10, load->device.number % 10)
                     ? CUBINET_DEVICE_TEGRA
                     : 0,
        .nvjitlink_version = release ? release : newest_floor(module),
    };
    cubinet_verdict *verdicts = calloc((size_t)module->image_count + 1, sizeof(*verdicts));
    if (!verdicts) {
        return cbn_error_memory();
    }
    cubinet_images_rank(module->images, module->image_count, &profile, NULL, verdicts);
    *out_image = verdicts[0].image;
    *out_links = module->image_count > 0 && verdicts[0].reasons == 0 &&
                 module->images[verdicts[0].image].target.kind == CUBINET_IMAGE_LTOIR;
    free(verdicts);
    return CUBINET_OK;
}

static cubinet_status obtain(const struct load *load, uint32_t image, enum cbn_cache_source *out_source)
{
    const struct cbn_link_place place = {.nvjitlink = load->request->nvjitlink,
                                         .cache = load->request->cache};
    struct cbn_link_plan *plan = NULL;
    struct cbn_link_story story = {0};
    cubinet_archive *linked = NULL;
    cubinet_status status =
        cbn_link_load_plan(load->archive->archive, load->module->number, image, load->device, &plan);
    if (!status) {
        status = cbn_link_obtain(plan, load->module->name, &place, &story, &linked);
    }
    *out_source = story.source;
    cbn_archive_release(linked);
    cbn_link_plan_free(plan);
    return status;
}

static void say(const struct load *load, const char *what, const char *why)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    fprintf(stderr, "%s: module '%s' for %s: %s%s%s\n", load->archive->path, load->module->name,
            cubinet_target_name(load->device, name), what, why[0] ? ": " : "", why);
}

static cubinet_status link_load(const struct load *load, struct link_ahead_result *result)
{
    uint32_t image = 0;
    bool links = false;
    cubinet_status status = select_image(load, &image, &links);
    if (status) {
        return status;
    }
    /* Without kernels there is nothing to load: it is a fragment, for others. */
    if (!links || load->module->kernel_count == 0) {
        result->unlinked++;
        if (load->request->verbose) {
            say(load, "nothing to link", "");
        }
        return CUBINET_OK;
    }
    enum cbn_cache_source source;
    if (obtain(load, image, &source)) {
        result->failed++;
        say(load, "cannot be linked", cubinet_error_message());
        return CUBINET_OK;
    }
    bool is_new = source == CBN_CACHE_MADE;
    result->linked += is_new;
    result->present += !is_new;
    if (load->request->verbose) {
        say(load, is_new ? "linked" : "in the cache already", "");
    }
    return CUBINET_OK;
}

static cubinet_status link_archive(const struct link_ahead_request *request, const struct link_input *archive,
                                   cubinet_target device, struct link_ahead_result *result)
{
    struct listing listing;
    cubinet_status status = listing_read(archive->archive, NULL, &listing);
    if (status) {
        return status;
    }
    uint32_t end = archive->first_module + archive->module_count;
    for (uint32_t i = archive->first_module; !status && i < end; i++) {
        const struct load load = {request, archive, &listing.modules[i], device};
        status = link_load(&load, result);
    }
    listing_free(&listing);
    return status;
}

cubinet_status link_ahead(const struct link_ahead_request *request, struct link_ahead_result *out_result)
{
    struct link_ahead_result result = {0};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < request->devices->count; i++) {
        cubinet_target device;
        status = cubinet_target_parse(request->devices->items[i], &device);
        device.suffix = 0; /* a device has none */
        for (size_t j = 0; !status && j < request->archives->count; j++) {
            status = link_archive(request, &request->archives->items[j], device, &result);
        }
    }
    *out_result = result;
    return status;
}
