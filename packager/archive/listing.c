/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/listing.h"

#include "base/buffer.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/rest.h"
#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cubinet_status read_images(const cubinet_archive *archive, struct listing_module *module)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        module->images[i].size = sizeof(module->images[i]);
        status = cubinet_archive_get_image(archive, module->number, i, &module->images[i]);
    }
    return status;
}

static cubinet_status read_names(const cubinet_archive *archive, struct listing_module *module)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        module->kernels[i].size = sizeof(module->kernels[i]);
        status = cubinet_archive_get_kernel(archive, module->number, i, &module->kernels[i]);
    }
    for (uint32_t i = 0; !status && i < module->global_count; i++) {
        module->globals[i].size = sizeof(module->globals[i]);
        status = cubinet_archive_get_global(archive, module->number, i, &module->globals[i]);
    }
    return status;
}

static cubinet_status find_readable(struct cbn_readable *readable, const char *expression, const char *name,
                                    struct cbn_text_list *demangled, const char **out_name)
{
    const char *full = expression == name ? cbn_readable_full(readable, name) : NULL;
    cubinet_status status = full ? cbn_text_list_add(demangled, full) : CUBINET_OK;
    *out_name = full && !status ? demangled->items[demangled->count - 1] : expression;
    return status;
}

static cubinet_status make_readable(struct listing_module *module, struct cbn_readable *readable)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        const cubinet_kernel_info *kernel = &module->kernels[i];
        status = find_readable(readable, kernel->expression, kernel->name, &module->demangled,
                               &module->kernel_names[i]);
    }
    for (uint32_t i = 0; !status && i < module->global_count; i++) {
        const cubinet_global_info *global = &module->globals[i];
        status = find_readable(readable, global->expression, global->name, &module->demangled,
                               &module->global_names[i]);
    }
    return status;
}

/* Archives that were sliced by records list what was left out, too, as does the rest. */
static cubinet_status find_held(const cubinet_archive *archive, struct listing_module *module)
{
    if (!cbn_archive_is_sliced(archive) && !cbn_archive_property(archive, CBN_PROPERTY_REST_OF)) {
        return CUBINET_OK;
    }
    module->is_held = calloc((size_t)module->kernel_count + 1, sizeof(*module->is_held));
    for (uint32_t i = 0; module->is_held && i < module->kernel_count; i++) {
        for (uint32_t image = 0; image < module->image_count && !module->is_held[i]; image++) {
            module->is_held[i] = cbn_archive_image_has_kernel(archive, module->number, image, i);
        }
    }
    return module->is_held ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status read_module(const cubinet_archive *archive, uint32_t number,
                                  struct cbn_readable *readable, struct listing_module *module)
{
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(archive, number, &info);
    if (status) {
        return status;
    }
    *module = (struct listing_module){
        .number = number,
        .name = info.name,
        .images = calloc(info.image_count + 1, sizeof(*module->images)),
        .image_count = info.image_count,
        .kernels = calloc(info.kernel_count + 1, sizeof(*module->kernels)),
        .kernel_count = info.kernel_count,
        .globals = calloc(info.global_count + 1, sizeof(*module->globals)),
        .global_count = info.global_count,
        .kernel_names = calloc(info.kernel_count + 1, sizeof(*module->kernel_names)),
        .global_names = calloc(info.global_count + 1, sizeof(*module->global_names)),
    };
    if (!module->images || !module->kernels || !module->globals || !module->kernel_names ||
        !module->global_names) {
        return cbn_error_memory();
    }
    status = read_images(archive, module);
    if (!status) {
        status = read_names(archive, module);
    }
    if (!status) {
        status = find_held(archive, module);
    }
    return status ? status : make_readable(module, readable);
}

cubinet_status listing_read(const cubinet_archive *archive, const char *module, struct listing *out_listing)
{
    struct listing listing = {.archive = {.size = sizeof(listing.archive)}};
    cubinet_status status = cubinet_archive_get_info(archive, &listing.archive);
    uint32_t first = 0;
    if (!status && module) {
        status = cubinet_archive_find_module(archive, module, &first);
    }
    if (status) {
        return status;
    }
    listing.module_count = module ? 1 : cubinet_archive_get_module_count(archive);
    listing.modules = calloc((size_t)listing.module_count + 1, sizeof(*listing.modules));
    struct cbn_readable *readable = cbn_readable_new();
    if (!listing.modules || !readable) {
        status = cbn_error_memory();
    }
    for (uint32_t i = 0; !status && i < listing.module_count; i++) {
        status = read_module(archive, first + i, readable, &listing.modules[i]);
    }
    cbn_readable_free(readable);
    if (status) {
        listing_free(&listing);
        return status;
    }
    *out_listing = listing;
    return CUBINET_OK;
}

void listing_free(struct listing *listing)
{
    for (uint32_t i = 0; listing->modules && i < listing->module_count; i++) {
        free(listing->modules[i].images);
        free(listing->modules[i].kernels);
        free(listing->modules[i].is_held);
        free(listing->modules[i].globals);
        free(listing->modules[i].kernel_names);
        free(listing->modules[i].global_names);
        cbn_text_list_free(&listing->modules[i].demangled);
    }
    free(listing->modules);
    *listing = (struct listing){0};
}

static int compare_expressions(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

uint32_t listing_kernels(const struct listing_module *module)
{
    const char **expressions = calloc((size_t)module->kernel_count + 1, sizeof(*expressions));
    size_t count = 0;
    uint32_t kernels = module->kernel_count;
    for (uint32_t i = 0; expressions && i < module->kernel_count; i++) {
        if (module->is_held && !module->is_held[i]) {
            kernels--;
        } else if (strcmp(module->kernels[i].expression, module->kernels[i].name) != 0) {
            expressions[count++] = module->kernels[i].expression;
        }
    }
    if (count > 1) {
        qsort(expressions, count, sizeof(*expressions), compare_expressions);
    }
    for (size_t i = 1; i < count; i++) {
        kernels -= strcmp(expressions[i - 1], expressions[i]) == 0;
    }
    free(expressions);
    return kernels;
}

const char *listing_kernel_name(const struct listing_module *module, const cubinet_kernel_info *kernel)
{
    return module->kernel_names[kernel - module->kernels];
}

cubinet_status listing_resources(const cubinet_archive *archive, const struct listing_module *module,
                                 uint32_t image, uint32_t kernel, cubinet_kernel_resources *out_resources,
                                 bool *out_held)
{
    *out_held = cbn_archive_image_has_kernel(archive, module->number, image, kernel);
    if (!*out_held) {
        return CUBINET_OK;
    }
    out_resources->size = sizeof(*out_resources);
    return cubinet_archive_get_resources(archive, module->number, image, kernel, out_resources);
}

uint64_t listing_stored_bytes(const struct listing_module *module)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < module->image_count; i++) {
        bytes += module->images[i].stored_size;
    }
    return bytes;
}

uint64_t listing_raw_bytes(const struct listing_module *module)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < module->image_count; i++) {
        bytes += module->images[i].raw_size;
    }
    return bytes;
}

const char *listing_kind(cubinet_image_kind kind)
{
    switch (kind) {
    case CUBINET_IMAGE_CUBIN:
        return "cubin";
    case CUBINET_IMAGE_PTX:
        return "ptx";
    case CUBINET_IMAGE_LTOIR:
        return "ltoir";
    case CUBINET_IMAGE_TILEIR:
        return "tileir";
    case CUBINET_IMAGE_OPTIXIR:
        return "optixir";
    }
    return "unknown";
}

cubinet_status listing_find_kind(const char *name, cubinet_image_kind *out_kind)
{
    for (cubinet_image_kind kind = CUBINET_IMAGE_CUBIN; kind <= CUBINET_IMAGE_OPTIXIR; kind++) {
        if (strcmp(name, listing_kind(kind)) == 0) {
            *out_kind = kind;
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "'%s' is not a kind of image: cubin, ptx, ltoir, tileir or optixir", name);
}

static int compare_module(const void *name, const void *module)
{
    return strcmp(name, ((const struct listing_module *)module)->name);
}

/* Archives list modules, and kernels of a module, in strcmp()'s order. */
const struct listing_module *listing_find_module(const struct listing *listing, const char *name)
{
    return listing->module_count == 0 ? NULL
                                      : bsearch(name, listing->modules, listing->module_count,
                                                sizeof(*listing->modules), compare_module);
}

static int compare_kernel(const void *name, const void *kernel)
{
    return strcmp(name, ((const cubinet_kernel_info *)kernel)->name);
}

bool listing_find_kernel(const struct listing_module *module, const char *lowered, uint32_t *out_kernel)
{
    const cubinet_kernel_info *found = module->kernel_count == 0
                                           ? NULL
                                           : bsearch(lowered, module->kernels, module->kernel_count,
                                                     sizeof(*module->kernels), compare_kernel);
    *out_kernel = found ? (uint32_t)(found - module->kernels) : CUBINET_UNKNOWN;
    return found != NULL;
}

static cubinet_status refuse_target(const struct listing_module *module, const char *target)
{
    struct buffer list = {0};
    for (uint32_t i = 0; i < module->image_count; i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        buffer_printf(&list, " %s", cubinet_target_name(module->images[i].target, name));
    }
    cubinet_status status =
        list.failed ? cbn_error_memory()
                    : cbn_error(CUBINET_ERROR_NOT_FOUND, "module '%s' has no image for '%s'; it has%s",
                                module->name, target, list.data);
    buffer_free(&list);
    return status;
}

cubinet_status listing_find_image(const struct listing_module *module, const char *target,
                                  uint32_t *out_image)
{
    for (uint32_t i = 0; i < module->image_count; i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        if (strcmp(cubinet_target_name(module->images[i].target, name), target) == 0) {
            *out_image = i;
            return CUBINET_OK;
        }
    }
    return refuse_target(module, target);
}

const char *listing_part_text(const struct listing_module *module, uint32_t image, uint32_t part,
                              char text[LISTING_PART_TEXT_SIZE])
{
    char target[CUBINET_TARGET_NAME_SIZE];
    char prefix[24] = "";
    if (module->images[image].part_count > 1) {
        snprintf(prefix, sizeof(prefix), "part %u of ", part);
    }
    snprintf(text, LISTING_PART_TEXT_SIZE, "module '%.48s', %s%s", module->name, prefix,
             cubinet_target_name(module->images[image].target, target));
    return text;
}

size_t listing_part_count(const struct listing_module *module)
{
    size_t count = 0;
    for (uint32_t i = 0; i < module->image_count; i++) {
        count += module->images[i].part_count;
    }
    return count;
}

/* Fills in what is known of the base. */
static cubinet_status read_base(const cubinet_archive *archive, const cubinet_part_info *part,
                                struct image_storage *storage)
{
    cubinet_module_info module = {.size = sizeof(module)};
    cubinet_image_info image = {.size = sizeof(image)};
    cubinet_part_info base = {.size = sizeof(base)};
    cubinet_status status = cubinet_archive_get_module(archive, part->base_module, &module);
    if (!status) {
        status = cubinet_archive_get_image(archive, part->base_module, part->base_image, &image);
    }
    if (!status) {
        status =
            cubinet_archive_get_part(archive, part->base_module, part->base_image, part->base_part, &base);
    }
    if (status == CUBINET_ERROR_NOT_FOUND) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "an image was made from one that is not there: %s",
                         cubinet_error_message());
    }
    storage->has_base = true;
    storage->base_module = module.name;
    storage->base_target = image.target;
    storage->base_is_part = image.part_count > 1;
    storage->base_part = part->base_part;
    storage->decompressed_size += base.encoding == CUBINET_ENCODING_RAW ? 0 : base.raw_size;
    return status;
}

cubinet_status image_storage_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  uint32_t part, struct image_storage *out_storage)
{
    cubinet_part_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_part(archive, module, image, part, &info);
    if (status) {
        return status;
    }
    struct image_storage storage = {.encoding = "raw", .decompressed_size = info.raw_size};
    switch (info.encoding) {
    case CUBINET_ENCODING_RAW:
        storage.decompressed_size = 0;
        break;
    case CUBINET_ENCODING_ZSTD:
        storage.encoding = "zstd";
        break;
    case CUBINET_ENCODING_ZSTD_BASE:
        storage.encoding = "zstd-base";
        status = read_base(archive, &info, &storage);
        break;
    }
    if (!status) {
        *out_storage = storage;
    }
    return status;
}
