/* SPDX-License-Identifier: Apache-2.0 */
#include "image_storage.h"

#include "error.h"

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
