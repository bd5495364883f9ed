/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog.h"

#include "buffer.h"
#include "cbn_archive.h"
#include "error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cubinet_status read_images(const cubinet_archive *archive, struct catalog_module *module)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; status == CUBINET_OK && i < module->image_count; i++) {
        module->images[i].size = sizeof(module->images[i]);
        status = cubinet_archive_get_image(archive, module->number, i, &module->images[i]);
    }
    return status;
}

static cubinet_status read_names(const cubinet_archive *archive, struct catalog_module *module)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; status == CUBINET_OK && i < module->kernel_count; i++) {
        module->kernels[i].size = sizeof(module->kernels[i]);
        status = cubinet_archive_get_kernel(archive, module->number, i, &module->kernels[i]);
    }
    for (uint32_t i = 0; status == CUBINET_OK && i < module->global_count; i++) {
        module->globals[i].size = sizeof(module->globals[i]);
        status = cubinet_archive_get_global(archive, module->number, i, &module->globals[i]);
    }
    return status;
}

static cubinet_status read_module(const cubinet_archive *archive, uint32_t number,
                                  struct catalog_module *module)
{
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(archive, number, &info);
    if (status) {
        return status;
    }
    *module = (struct catalog_module){
        .number = number,
        .name = info.name,
        .images = calloc(info.image_count + 1, sizeof(*module->images)),
        .image_count = info.image_count,
        .kernels = calloc(info.kernel_count + 1, sizeof(*module->kernels)),
        .kernel_count = info.kernel_count,
        .globals = calloc(info.global_count + 1, sizeof(*module->globals)),
        .global_count = info.global_count,
    };
    if (!module->images || !module->kernels || !module->globals) {
        return cbn_error_memory();
    }
    status = read_images(archive, module);
    return status ? status : read_names(archive, module);
}

cubinet_status catalog_read(const cubinet_archive *archive, const char *module, struct catalog *out_catalog)
{
    struct catalog catalog = {.archive = {.size = sizeof(catalog.archive)}};
    cubinet_status status = cubinet_archive_get_info(archive, &catalog.archive);
    uint32_t first = 0;
    if (status == CUBINET_OK && module) {
        status = cubinet_archive_find_module(archive, module, &first);
    }
    if (status) {
        return status;
    }
    catalog.module_count = module ? 1 : catalog.archive.module_count;
    catalog.modules = calloc((size_t)catalog.module_count + 1, sizeof(*catalog.modules));
    if (!catalog.modules) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; status == CUBINET_OK && i < catalog.module_count; i++) {
        status = read_module(archive, first + i, &catalog.modules[i]);
    }
    if (status) {
        catalog_free(&catalog);
        return status;
    }
    *out_catalog = catalog;
    return CUBINET_OK;
}

void catalog_free(struct catalog *catalog)
{
    for (uint32_t i = 0; catalog->modules && i < catalog->module_count; i++) {
        free(catalog->modules[i].images);
        free(catalog->modules[i].kernels);
        free(catalog->modules[i].globals);
    }
    free(catalog->modules);
    *catalog = (struct catalog){0};
}

cubinet_status catalog_resources(const cubinet_archive *archive, const struct catalog_module *module,
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

uint64_t catalog_stored_bytes(const struct catalog_module *module)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < module->image_count; i++) {
        bytes += module->images[i].stored_size;
    }
    return bytes;
}

uint64_t catalog_raw_bytes(const struct catalog_module *module)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < module->image_count; i++) {
        bytes += module->images[i].raw_size;
    }
    return bytes;
}

const char *catalog_kind(cubinet_image_kind kind)
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

cubinet_status catalog_find_kind(const char *name, cubinet_image_kind *out_kind)
{
    for (cubinet_image_kind kind = CUBINET_IMAGE_CUBIN; kind <= CUBINET_IMAGE_OPTIXIR; kind++) {
        if (strcmp(name, catalog_kind(kind)) == 0) {
            *out_kind = kind;
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "'%s' is no kind of image: cubin, ptx, ltoir, tileir or optixir", name);
}

static cubinet_status refuse_target(const struct catalog_module *module, const char *target)
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

cubinet_status catalog_find_image(const struct catalog_module *module, const char *target,
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

/* Fills in what is known of the base. */
static cubinet_status read_base(const cubinet_archive *archive, const cubinet_image_info *image,
                                struct image_storage *storage)
{
    cubinet_module_info module = {.size = sizeof(module)};
    cubinet_image_info base = {.size = sizeof(base)};
    cubinet_status status = cubinet_archive_get_module(archive, image->base_module, &module);
    if (status == CUBINET_OK) {
        status = cubinet_archive_get_image(archive, image->base_module, image->base_image, &base);
    }
    if (status == CUBINET_ERROR_NOT_FOUND) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "an image was made from one that is not there: %s",
                         cubinet_error_message());
    }
    storage->has_base = true;
    storage->base_module = module.name;
    storage->base_target = base.target;
    storage->decompressed_size += base.encoding == CUBINET_ENCODING_RAW ? 0 : base.raw_size;
    return status;
}

cubinet_status image_storage_read(const cubinet_archive *archive, const cubinet_image_info *image,
                                  struct image_storage *out_storage)
{
    struct image_storage storage = {.encoding = "raw", .decompressed_size = image->raw_size};
    cubinet_status status = CUBINET_OK;
    switch (image->encoding) {
    case CUBINET_ENCODING_RAW:
        storage.decompressed_size = 0;
        break;
    case CUBINET_ENCODING_ZSTD:
        storage.encoding = "zstd";
        break;
    case CUBINET_ENCODING_ZSTD_BASE:
        storage.encoding = "zstd-base";
        status = read_base(archive, image, &storage);
        break;
    }
    if (status == CUBINET_OK) {
        *out_storage = storage;
    }
    return status;
}
