/* SPDX-License-Identifier: Apache-2.0 */
#include "command/made.h"

#include "base/json_output.h"

#include <string.h>
#include <time.h>

cubinet_status made_count(const char *archive, struct made *out_made)
{
    struct shown_archive shown;
    cubinet_status status = shown_archive_open(archive, NULL, &shown);
    if (status) {
        return status;
    }
    *out_made =
        (struct made){.modules = shown.listing.module_count, .bytes = shown.listing.archive.archive_size};
    for (uint32_t i = 0; i < shown.listing.module_count; i++) {
        out_made->images += shown.listing.modules[i].image_count;
    }
    shown_archive_close(&shown);
    return CUBINET_OK;
}

static cubinet_status add_kernels(const struct shown_archive *shown, const struct listing_module *module,
                                  uint32_t image, json_t *kernels)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        cubinet_kernel_resources resources;
        bool is_held = false;
        status = listing_resources(shown->archive, module, image, i, &resources, &is_held);
        if (!status && is_held) {
            json_array_append_new(kernels, json_output_text(module->kernel_names[i]));
        }
    }
    return status;
}

static cubinet_status add_module(const struct shown_archive *shown, const struct listing_module *module,
                                 json_t *modules)
{
    json_t *images = json_array();
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        const cubinet_image_info *image = &module->images[i];
        json_t *kernels = json_array();
        status = add_kernels(shown, module, i, kernels);
        json_array_append_new(images,
                              json_pack("{s:o, s:s, s:I, s:o}", "target", json_output_target(image->target),
                                        "kind", listing_kind(image->target.kind), "bytes",
                                        (json_int_t)image->stored_size, "kernels", kernels));
    }
    json_array_append_new(
        modules, json_pack("{s:o, s:o}", "module", json_output_text(module->name), "images", images));
    return status;
}

cubinet_status made_json_of(const struct shown_archive *shown, json_t **out_document)
{
    json_t *modules = json_array();
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < shown->listing.module_count; i++) {
        status = add_module(shown, &shown->listing.modules[i], modules);
    }
    json_t *document = json_pack("{s:o, s:I, s:o}", "archive", json_output_text(shown->path), "bytes",
                                 (json_int_t)shown->listing.archive.archive_size, "modules", modules);
    if (status) {
        json_decref(document);
        return status;
    }
    *out_document = document;
    return CUBINET_OK;
}

cubinet_status made_json(const char *archive, json_t **out_document)
{
    struct shown_archive shown;
    cubinet_status status = shown_archive_open(archive, NULL, &shown);
    if (status) {
        return status;
    }
    status = made_json_of(&shown, out_document);
    shown_archive_close(&shown);
    return status;
}

json_t *made_warnings(const char *messages)
{
    json_t *warnings = json_array();
    for (const char *at = messages; *at;) {
        size_t size = strcspn(at, "\n");
        const char *word = memmem(at, size, "warning: ", strlen("warning: "));
        if (word) {
            struct buffer line = {0};
            buffer_append(&line, at, size);
            json_array_append_new(warnings, json_output_buffer(&line));
        }
        at += size + (at[size] != '\0');
    }
    return warnings;
}

double made_seconds(double since)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9 - since;
}

json_t *made_duration(double seconds)
{
    return json_real((double)(json_int_t)(seconds * 1000 + 0.5) / 1000);
}
