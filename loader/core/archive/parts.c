/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive says of the parts of images. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

#include <string.h>

cubinet_status cbn_block_find_row(const struct cbn_block *block, uint32_t image, uint32_t part,
                                  uint32_t *out_row)
{
    if (image >= cbn_block_image_count(block)) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND,
                         "module '%s' has %u images, numbered from 0: there is no number %u", block->module,
                         (unsigned)cbn_block_image_count(block), (unsigned)image);
    }
    if (part >= cbn_block_part_count(block, image)) {
        char target[CUBINET_TARGET_NAME_SIZE];
        return cbn_error(
            CUBINET_ERROR_NOT_FOUND,
            "module '%s' has %u parts in its image for %s, numbered from 0: there is no number %u",
            block->module, (unsigned)cbn_block_part_count(block, image),
            cubinet_target_name(cbn_block_image(block, image).target, target), (unsigned)part);
    }
    *out_row = cbn_block_first_row(block, image) + part;
    return CUBINET_OK;
}

/* The first row of the resource table that is not before a row of the image table. */
static uint32_t resources_from(const struct cbn_block *block, uint32_t row)
{
    uint32_t low = 0;
    uint32_t high = block->resources.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cbn_get32(cbn_row(&block->resources, middle) + CBN_RESOURCE_IMAGE) < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

cubinet_status cubinet_archive_get_part(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                        uint32_t part, cubinet_part_info *out_info)
{
    const struct cbn_block *block = NULL;
    uint32_t row = 0;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (!status) {
        status = cbn_block_find_row(block, image, part, &row);
    }
    if (status) {
        return status;
    }
    cubinet_image_info stored = cbn_block_row(block, row);
    cubinet_part_info info = {
        .encoding = stored.encoding,
        .kernel_count = resources_from(block, row + 1) - resources_from(block, row),
        .offset = stored.offset,
        .stored_size = stored.stored_size,
        .raw_size = stored.raw_size,
        .base_module = stored.base_module,
        .base_image = stored.base_image,
        .base_part = stored.base_part,
    };
    memcpy(info.digest, stored.digest, sizeof(info.digest));
    return cbn_sized_write(out_info, "cubinet_part_info", &info, sizeof(info));
}

cubinet_status cubinet_archive_find_part(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                         uint32_t kernel, uint32_t *out_part)
{
    const struct cbn_block *block = NULL;
    const unsigned char *resources = NULL;
    if (!out_part) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the place for the part is NULL");
    }
    cubinet_status status = cbn_archive_resources(archive, module, image, kernel, &block, &resources);
    if (!status) {
        *out_part = cbn_get32(resources + CBN_RESOURCE_IMAGE) - cbn_block_first_row(block, image);
    }
    return status;
}

bool cbn_archive_find_global_part(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  uint32_t global, uint32_t *out_part)
{
    const struct cbn_block *block = NULL;
    if (cbn_archive_block(archive, module, &block) || cbn_block_part_count(block, image) == 1) {
        return false;
    }
    uint32_t first = cbn_block_first_row(block, image);
    uint64_t wanted = (uint64_t)global << 32 | first;
    uint32_t low = 0;
    uint32_t high = block->part_globals.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const unsigned char *row = cbn_row(&block->part_globals, middle);
        uint32_t there = cbn_get32(row + CBN_PART_GLOBAL_IMAGE);
        uint64_t pair = (uint64_t)cbn_get32(row + CBN_PART_GLOBAL_GLOBAL) << 32 | there;
        if (pair >= wanted && pair < wanted + cbn_block_part_count(block, image)) {
            *out_part = there - first;
            return true;
        }
        if (pair < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}
