/* SPDX-License-Identifier: Apache-2.0 */
#include "show/sbom.h"

#include "archive/entry_name.h"
#include "archive/image_budget.h"
#include "archive/stored_image.h"
#include "archive/zip_writer.h"
#include "base/array.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/json_output.h"
#include "base/path.h"
#include "base/text_table.h"
#include "loader/core/support/error.h"
#include "origin/property_list.h"
#include "origin/spdx_license.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void sbom_free(struct sbom *sbom)
{
    for (size_t i = 0; i < sbom->image_count; i++) {
        free(sbom->images[i].name);
    }
    for (size_t i = 0; i < sbom->tool_count; i++) {
        free(sbom->tools[i].version);
    }
    free(sbom->images);
    free(sbom->sources);
    free(sbom->tools);
    free(sbom->properties);
    json_decref(sbom->places);
}

cubinet_status sbom_check_form(const char *form)
{
    if (strcmp(form, SBOM_SPDX) == 0 || strcmp(form, SBOM_CYCLONEDX) == 0) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "'%s' is not a format of a software bill of materials: use spdx or cyclonedx", form);
}

/* The number of what has a key, which becomes `next` if it was not there yet. Frees the key. */
static cubinet_status find_place(struct sbom *sbom, struct buffer *key, size_t next, long *out_place)
{
    const json_t *known = key->failed ? NULL : json_object_get(sbom->places, key->data);
    *out_place = known ? (long)json_integer_value(known) : (long)next;
    bool failed = key->failed || (!known && json_object_set_new_nocheck(sbom->places, key->data,
                                                                        json_integer((json_int_t)next)) != 0);
    buffer_free(key);
    return failed ? cbn_error_memory() : CUBINET_OK;
}

static cubinet_status add_source(struct sbom *sbom, const cubinet_origin *origin, long *out_place)
{
    struct sbom_source source = {.name = origin->source,
                                 .has_digest = (origin->flags & CUBINET_ORIGIN_HAS_DIGESTS) != 0};
    struct buffer key = {0};
    memcpy(source.digest.bytes, origin->source_sha256, sizeof(source.digest.bytes));
    buffer_puts(&key, "source ");
    for (size_t i = 0; i < sizeof(source.digest.bytes); i++) {
        buffer_printf(&key, "%02x", source.digest.bytes[i]);
    }
    buffer_printf(&key, " %s", source.name);
    cubinet_status status = find_place(sbom, &key, sbom->source_count, out_place);
    if (status || (size_t)*out_place < sbom->source_count) {
        return status;
    }
    struct sbom_source *sources = array_grow(sbom->sources, sbom->source_count, sizeof(*sources));
    if (!sources) {
        return cbn_error_memory();
    }
    sbom->sources = sources;
    sources[sbom->source_count++] = source;
    return CUBINET_OK;
}

static cubinet_status add_tool(struct sbom *sbom, const char *name, const char *version, long *out_place)
{
    struct buffer key = {0};
    buffer_printf(&key, "tool %s\n%s", name, version);
    cubinet_status status = find_place(sbom, &key, sbom->tool_count, out_place);
    if (status || (size_t)*out_place < sbom->tool_count) {
        return status;
    }
    struct sbom_tool *tools = array_grow(sbom->tools, sbom->tool_count, sizeof(*tools));
    if (!tools) {
        return cbn_error_memory();
    }
    sbom->tools = tools;
    char *copy = strdup(version);
    if (!copy) {
        return cbn_error_memory();
    }
    tools[sbom->tool_count++] = (struct sbom_tool){name, copy};
    return CUBINET_OK;
}

static cubinet_status add_origin(struct sbom *sbom, uint32_t module, uint32_t number,
                                 struct sbom_image *image)
{
    image->origin = (cubinet_origin){.size = sizeof(image->origin)};
    cubinet_status status = cubinet_archive_get_origin(sbom->shown->archive, module, number, &image->origin);
    if (status) {
        return status == CUBINET_ERROR_NOT_FOUND ? CUBINET_OK : status;
    }
    status = add_source(sbom, &image->origin, &image->source);
    const char *space = strrchr(image->origin.compiler, ' '); /* "NVRTC 13.0.88" */
    return !status && space ? add_tool(sbom, "NVIDIA CUDA NVRTC", space + 1, &image->compiler) : status;
}

static cubinet_status digest_part(const struct sbom *sbom, uint32_t module, uint32_t number, uint32_t part,
                                  struct cbn_sha256 *out_digest)
{
    unsigned char *data = NULL;
    size_t size = 0;
    cubinet_status status = part_read(sbom->shown->archive, module, number, part, &data, &size);
    if (!status) {
        *out_digest = cbn_sha256(data, size);
        free(data);
    }
    return status;
}

static cubinet_status fill_image(struct sbom *sbom, const struct listing_module *module, uint32_t number,
                                 uint32_t part, struct sbom_image *image)
{
    const cubinet_image_info *info = &module->images[number];
    const struct entry_part place = {part, info->part_count};
    cubinet_status status = entry_name(module->name, info->target, place, CUBINET_ENCODING_RAW, &image->name);
    if (!status) {
        status = digest_part(sbom, module->number, number, part, &image->digest);
    }
    if (!status) {
        status = add_origin(sbom, module->number, number, image);
    }
    if (!status && info->toolkit) {
        char release[RELEASE_TEXT_SIZE];
        status = add_tool(sbom, "NVIDIA CUDA Toolkit", release_text(info->toolkit, release), &image->toolkit);
    }
    return status;
}

static cubinet_status add_part(struct sbom *sbom, const struct listing_module *module, uint32_t number,
                               uint32_t part)
{
    struct sbom_image *images = array_grow(sbom->images, sbom->image_count, sizeof(*images));
    if (!images) {
        return cbn_error_memory();
    }
    sbom->images = images;
    struct sbom_image *image = &images[sbom->image_count++];
    *image = (struct sbom_image){.source = SBOM_NONE, .compiler = SBOM_NONE, .toolkit = SBOM_NONE};
    return fill_image(sbom, module, number, part, image);
}

static cubinet_status add_image(struct sbom *sbom, const struct listing_module *module, uint32_t number)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->images[number].part_count; i++) {
        status = add_part(sbom, module, number, i);
    }
    return status;
}

/* A UUID of the form that is anybody's own (RFC 9562, version 8), of the archive's digest. */
static void make_uuid(struct sbom *sbom)
{
    unsigned char bytes[16];
    memcpy(bytes, sbom->digest.bytes, sizeof(bytes));
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x80);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    size_t at = 0;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        at += (size_t)snprintf(sbom->uuid + at, sizeof(sbom->uuid) - at, "%s%02x", dash, bytes[i]);
    }
}

static cubinet_status make_time(struct sbom *sbom)
{
    time_t now;
    struct tm parts;
    cubinet_status status = zip_time(&now);
    if (!status) {
        gmtime_r(&now, &parts);
        strftime(sbom->time, sizeof(sbom->time), "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    return status;
}

/* Forms have room for expressions only. */
static void read_license(struct sbom *sbom)
{
    const char *license;
    if (!cubinet_archive_find_property(sbom->shown->archive, PROPERTY_LICENSE, &license) &&
        !spdx_license_check(license)) {
        sbom->license = license;
    }
}

static cubinet_status read_properties(struct sbom *sbom)
{
    uint32_t count = sbom->shown->listing.archive.property_count;
    sbom->properties = calloc((size_t)count + 1, sizeof(*sbom->properties));
    if (!sbom->properties) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < count; i++) {
        struct sbom_property property = {"", ""};
        cubinet_archive_get_property(sbom->shown->archive, i, &property.key, &property.value);
        if (strcmp(property.key, PROPERTY_LICENSE) != 0 || !sbom->license) {
            sbom->properties[sbom->property_count++] = property;
        }
    }
    return CUBINET_OK;
}

static cubinet_status collect(struct sbom *sbom)
{
    const struct listing *listing = &sbom->shown->listing;
    cubinet_status status = file_sha256(sbom->shown->path, &sbom->digest);
    if (!status) {
        status = make_time(sbom);
    }
    for (uint32_t i = 0; !status && i < listing->module_count; i++) {
        for (uint32_t j = 0; !status && j < listing->modules[i].image_count; j++) {
            status = add_image(sbom, &listing->modules[i], j);
        }
    }
    make_uuid(sbom);
    read_license(sbom);
    return status ? status : read_properties(sbom);
}

cubinet_status sbom_print(const struct shown_archive *shown, const char *form)
{
    struct sbom sbom = {.shown = shown, .name = path_name(shown->path), .places = json_object()};
    cubinet_status status = sbom.places ? image_budget_check(shown->archive) : cbn_error_memory();
    if (!status) {
        status = collect(&sbom);
    }
    if (!status) {
        status = json_output_print(strcmp(form, SBOM_SPDX) == 0 ? sbom_spdx(&sbom) : sbom_cyclonedx(&sbom));
    }
    sbom_free(&sbom);
    return status;
}
