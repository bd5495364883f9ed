/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive says of a module's images, kernels and globals. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

#include <string.h>

static cubinet_status no_row(const struct cbn_block *block, const char *what, uint32_t count, uint32_t row)
{
    return cbn_error(CUBINET_ERROR_NOT_FOUND, "module '%s' has %u %s, numbered from 0: there is no number %u",
                     block->module, (unsigned)count, what, (unsigned)row);
}

/* The expression at `field`, or the lowered name of a row that has none. */
static const char *expression_or(const struct cbn_block *block, const unsigned char *field, const char *name)
{
    const char *expression = cbn_string_at(&block->strings, field);
    return expression[0] ? expression : name;
}

cubinet_status cubinet_archive_get_image(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                         cubinet_image_info *out_info)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    if (image >= cbn_block_image_count(block)) {
        return no_row(block, "images", cbn_block_image_count(block), image);
    }
    cubinet_image_info info = cbn_block_image(block, image);
    return cbn_sized_write(out_info, "cubinet_image_info", &info, sizeof(info));
}

cubinet_status cbn_archive_get_images(const cubinet_archive *archive, uint32_t module,
                                      cubinet_image_info *images)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    for (uint32_t i = 0; !status && i < cbn_block_image_count(block); i++) {
        images[i] = cbn_block_image(block, i);
    }
    return status;
}

cubinet_status cubinet_archive_get_kernel(const cubinet_archive *archive, uint32_t module, uint32_t kernel,
                                          cubinet_kernel_info *out_info)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    if (kernel >= block->kernels.count) {
        return no_row(block, "kernels", block->kernels.count, kernel);
    }
    const unsigned char *row = cbn_row(&block->kernels, kernel);
    cubinet_kernel_info info = {.name = cbn_string_at(&block->strings, row + CBN_KERNEL_NAME)};
    info.expression = expression_or(block, row + CBN_KERNEL_EXPRESSION, info.name);
    return cbn_sized_write(out_info, "cubinet_kernel_info", &info, sizeof(info));
}

cubinet_status cubinet_archive_get_global(const cubinet_archive *archive, uint32_t module, uint32_t global,
                                          cubinet_global_info *out_info)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    if (global >= block->globals.count) {
        return no_row(block, "globals", block->globals.count, global);
    }
    const unsigned char *row = cbn_row(&block->globals, global);
    uint32_t flags = cbn_get32(row + CBN_GLOBAL_FLAGS);
    cubinet_global_info info = {
        .name = cbn_string_at(&block->strings, row + CBN_GLOBAL_NAME),
        .bytes = cbn_get64(row + CBN_GLOBAL_BYTES),
        .flags = (flags & CBN_GLOBAL_CONSTANT ? CUBINET_GLOBAL_CONSTANT : 0u) |
                 (flags & CBN_GLOBAL_MANAGED ? CUBINET_GLOBAL_MANAGED : 0u),
    };
    info.expression = expression_or(block, row + CBN_GLOBAL_EXPRESSION, info.name);
    return cbn_sized_write(out_info, "cubinet_global_info", &info, sizeof(info));
}

/* The row of an image's symbol; NULL if it has no symbol of that number. */
static const unsigned char *find_symbol(const struct cbn_block *block, uint32_t image, uint32_t symbol,
                                        bool *out_defined)
{
    const unsigned char *piece = cbn_block_piece(block, cbn_block_first_row(block, image));
    uint32_t defined = piece ? cbn_get32(piece + CBN_PIECE_DEFINED) : 0;
    uint32_t needed = piece ? cbn_get32(piece + CBN_PIECE_NEEDED) : 0;
    if (symbol >= defined + needed) {
        return NULL;
    }
    *out_defined = symbol < defined;
    return cbn_row(&block->symbols, cbn_get32(piece + CBN_PIECE_FIRST_SYMBOL) + symbol);
}

cubinet_status cubinet_archive_get_symbol(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                          uint32_t symbol, cubinet_symbol_info *out_info)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    if (image >= cbn_block_image_count(block)) {
        return no_row(block, "images", cbn_block_image_count(block), image);
    }
    bool is_defined = false;
    const unsigned char *row = find_symbol(block, image, symbol, &is_defined);
    if (!row) {
        char target[CUBINET_TARGET_NAME_SIZE];
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "module '%s' has no symbol number %u in its image for %s",
                         block->module, (unsigned)symbol,
                         cubinet_target_name(cbn_block_image(block, image).target, target));
    }
    uint32_t flags = cbn_get32(row + CBN_SYMBOL_FLAGS);
    cubinet_symbol_info info = {
        .name = cbn_string_at(&block->strings, row + CBN_SYMBOL_NAME),
        .type = cbn_string_at(&block->strings, row + CBN_SYMBOL_TYPE),
        .flags = (is_defined ? CUBINET_SYMBOL_DEFINED : 0u) |
                 (flags & CBN_SYMBOL_WEAK ? CUBINET_SYMBOL_WEAK : 0u) |
                 (flags & CBN_SYMBOL_VARIABLE ? CUBINET_SYMBOL_VARIABLE : 0u),
    };
    info.expression = expression_or(block, row + CBN_SYMBOL_EXPRESSION, info.name);
    return cbn_sized_write(out_info, "cubinet_symbol_info", &info, sizeof(info));
}

bool cbn_archive_image_has_kernel(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  uint32_t kernel)
{
    const struct cbn_block *block = NULL;
    return !cbn_archive_block(archive, module, &block) && cbn_block_resources(block, image, kernel);
}

static void get_params(const struct cbn_block *block, const unsigned char *row,
                       cubinet_kernel_resources *resources)
{
    uint32_t count = cbn_get16(row + CBN_RESOURCE_PARAM_COUNT);
    if (count == CBN_PARAM_COUNT_UNKNOWN) {
        resources->param_count = CUBINET_UNKNOWN;
        resources->param_bytes = CUBINET_UNKNOWN;
        return;
    }
    resources->param_count = count;
    resources->param_bytes = cbn_get16(row + CBN_RESOURCE_PARAM_BYTES);
    if (count > 0) {
        resources->params = block->param_list + cbn_get32(row + CBN_RESOURCE_FIRST_PARAM);
    }
}

/* A member that rows of older minor versions lack. */
static uint32_t get_added(const struct cbn_block *block, const unsigned char *row, uint32_t offset)
{
    return block->resources.stride >= offset + sizeof(uint32_t) ? cbn_get32(row + offset) : CUBINET_UNKNOWN;
}

cubinet_kernel_resources cbn_resources_of(const struct cbn_block *block, const unsigned char *row)
{
    cubinet_kernel_resources resources = {
        .size = sizeof(resources),
        .registers = cbn_get32(row + CBN_RESOURCE_REGISTERS),
        .static_shared_bytes = cbn_get32(row + CBN_RESOURCE_STATIC_SHARED),
        .local_bytes = cbn_get32(row + CBN_RESOURCE_LOCAL),
        .constant_bytes = cbn_get32(row + CBN_RESOURCE_CONSTANT),
        .max_threads_per_block = cbn_get32(row + CBN_RESOURCE_MAX_THREADS),
        .min_blocks = cbn_get32(row + CBN_RESOURCE_MIN_BLOCKS),
        .max_cluster_blocks = cbn_get32(row + CBN_RESOURCE_MAX_CLUSTER),
        .spill_store_bytes = get_added(block, row, CBN_RESOURCE_SPILL_STORE),
        .spill_load_bytes = get_added(block, row, CBN_RESOURCE_SPILL_LOAD),
        .barriers = get_added(block, row, CBN_RESOURCE_BARRIERS),
    };
    cbn_get_dimensions(row + CBN_RESOURCE_MAX_BLOCK, resources.max_block);
    cbn_get_dimensions(row + CBN_RESOURCE_REQUIRED_BLOCK, resources.required_block);
    cbn_get_dimensions(row + CBN_RESOURCE_REQUIRED_CLUSTER, resources.required_cluster);
    get_params(block, row, &resources);
    return resources;
}

cubinet_status cbn_archive_resources(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                     uint32_t kernel, const struct cbn_block **out_block,
                                     const unsigned char **out_row)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    if (image >= cbn_block_image_count(block)) {
        return no_row(block, "images", cbn_block_image_count(block), image);
    }
    if (kernel >= block->kernels.count) {
        return no_row(block, "kernels", block->kernels.count, kernel);
    }
    const unsigned char *row = cbn_block_resources(block, image, kernel);
    if (!row) {
        char target[CUBINET_TARGET_NAME_SIZE];
        const unsigned char *name = cbn_row(&block->kernels, kernel) + CBN_KERNEL_NAME;
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "module '%s' has no kernel '%s' in its image for %s",
                         block->module, cbn_string_at(&block->strings, name),
                         cubinet_target_name(cbn_block_image(block, image).target, target));
    }
    *out_block = block;
    *out_row = row;
    return CUBINET_OK;
}

cubinet_status cubinet_archive_get_resources(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                             uint32_t kernel, cubinet_kernel_resources *out_resources)
{
    const struct cbn_block *block = NULL;
    const unsigned char *row = NULL;
    cubinet_status status = cbn_archive_resources(archive, module, image, kernel, &block, &row);
    if (status) {
        return status;
    }
    cubinet_kernel_resources resources = cbn_resources_of(block, row);
    return cbn_sized_write(out_resources, "cubinet_kernel_resources", &resources, sizeof(resources));
}
