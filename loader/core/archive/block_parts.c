/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/block_parts.h"

#include "loader/core/archive/block.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static cubinet_status row_error(const char *table, uint32_t row, const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "%s %u: %s", table, (unsigned)row, what);
}

/* One after the other, at least two rows each, and no row twice. */
static cubinet_status check_rows(const struct cbn_block *block, uint32_t *out_images)
{
    uint32_t next = 0;
    uint32_t images = block->images.count;
    for (uint32_t i = 0; i < block->part_rows.count; i++) {
        const unsigned char *row = cbn_row(&block->part_rows, i);
        uint32_t first = cbn_get32(row + CBN_PARTS_FIRST);
        uint32_t count = cbn_get32(row + CBN_PARTS_COUNT);
        if (first < next || first > block->images.count || count > block->images.count - first) {
            return row_error("parts", i, "out of order, or of images that are not there");
        }
        if (count < 2) {
            return row_error("parts", i, "less than two");
        }
        next = first + count;
        images -= count - 1;
    }
    *out_images = images;
    return CUBINET_OK;
}

static void number_images(const struct cbn_block *block, struct cbn_parts *parts)
{
    uint32_t row = 0;
    uint32_t next_set = 0;
    for (uint32_t i = 0; i < parts->image_count; i++) {
        const unsigned char *set =
            next_set < block->part_rows.count ? cbn_row(&block->part_rows, next_set) : NULL;
        uint32_t count = 1;
        if (set && cbn_get32(set + CBN_PARTS_FIRST) == row) {
            count = cbn_get32(set + CBN_PARTS_COUNT);
            next_set++;
        }
        parts->images[i] = (struct cbn_part_set){.first_row = row, .count = count};
        for (uint32_t j = 0; j < count; j++) {
            parts->row_images[row++] = i;
        }
    }
}

cubinet_status cbn_block_read_parts(struct cbn_block *block)
{
    if (block->part_rows.count == 0) {
        return CUBINET_OK;
    }
    uint32_t images = 0;
    cubinet_status status = check_rows(block, &images);
    if (status) {
        return status;
    }
    struct cbn_parts *parts = calloc(1, sizeof(*parts));
    if (!parts) {
        return cbn_error_memory();
    }
    block->parts = parts;
    parts->image_count = images;
    parts->images = calloc(images, sizeof(*parts->images));
    parts->row_images = calloc(block->images.count, sizeof(*parts->row_images));
    parts->kernels = calloc((size_t)block->resources.count + 1, sizeof(*parts->kernels));
    if (!parts->images || !parts->row_images || !parts->kernels) {
        return cbn_error_memory();
    }
    number_images(block, parts);
    return CUBINET_OK;
}

void cbn_parts_free(struct cbn_parts *parts)
{
    if (parts) {
        free(parts->images);
        free(parts->row_images);
        free(parts->kernels);
        free(parts);
    }
}

static int compare_held(const void *a, const void *b)
{
    const struct cbn_held_kernel *left = a;
    const struct cbn_held_kernel *right = b;
    if (left->image != right->image) {
        return left->image < right->image ? -1 : 1;
    }
    return (left->kernel > right->kernel) - (left->kernel < right->kernel);
}

const unsigned char *cbn_parts_resources(const struct cbn_block *block, uint32_t image, uint32_t kernel)
{
    const struct cbn_held_kernel wanted = {.image = image, .kernel = kernel};
    const struct cbn_held_kernel *found =
        bsearch(&wanted, block->parts->kernels, block->resources.count, sizeof(wanted), compare_held);
    return found ? cbn_row(&block->resources, found->resource) : NULL;
}

static bool is_first(const struct cbn_parts *parts, uint32_t row)
{
    return parts->images[parts->row_images[row]].first_row == row;
}

/* Lists which image has which kernel, and checks that each part has one, in the order of the parts. Resources
 * are in the order of images, then kernels. */
static cubinet_status check_first_kernels(const struct cbn_block *block)
{
    struct cbn_parts *parts = block->parts;
    uint32_t resource = 0;
    uint32_t previous = 0;
    for (uint32_t row = 0; row < block->images.count; row++) {
        uint32_t image = parts->row_images[row];
        uint32_t first = resource;
        while (resource < block->resources.count &&
               cbn_get32(cbn_row(&block->resources, resource) + CBN_RESOURCE_IMAGE) == row) {
            const unsigned char *kernel = cbn_row(&block->resources, resource) + CBN_RESOURCE_KERNEL;
            parts->kernels[resource] = (struct cbn_held_kernel){image, cbn_get32(kernel), resource};
            resource++;
        }
        if (parts->images[image].count == 1) {
            continue;
        }
        if (first == resource) {
            return row_error("image", row, "a part without a kernel");
        }
        if (!is_first(parts, row) && parts->kernels[first].kernel <= previous) {
            return row_error("image", row, "a part that is not in the order of first kernels");
        }
        previous = parts->kernels[first].kernel;
    }
    return CUBINET_OK;
}

static cubinet_status check_kernels(const struct cbn_block *block)
{
    struct cbn_held_kernel *kernels = block->parts->kernels;
    cubinet_status status = check_first_kernels(block);
    if (status) {
        return status;
    }
    qsort(kernels, block->resources.count, sizeof(*kernels), compare_held);
    for (uint32_t i = 1; i < block->resources.count; i++) {
        if (compare_held(&kernels[i - 1], &kernels[i]) == 0) {
            return row_error("resources", kernels[i].resource, "a kernel that another part has, too");
        }
    }
    return CUBINET_OK;
}

/* Parts need no linking, and the first stands for all where it is said where they come from. */
static cubinet_status check_about(const struct cbn_block *block)
{
    const struct cbn_parts *parts = block->parts;
    for (uint32_t i = 0; i < block->pieces.count; i++) {
        uint32_t row = cbn_get32(cbn_row(&block->pieces, i) + CBN_PIECE_IMAGE);
        if (parts->images[parts->row_images[row]].count > 1) {
            return row_error("piece", i, "of a part");
        }
    }
    for (uint32_t i = 0; i < block->origins.count; i++) {
        if (!is_first(parts, cbn_get32(cbn_row(&block->origins, i) + CBN_ORIGIN_IMAGE))) {
            return row_error("origin", i, "of a part that is not its image's first");
        }
    }
    return CUBINET_OK;
}

static cubinet_status add_up(const struct cbn_block *block, struct cbn_part_set *set)
{
    unsigned char *digests = malloc((size_t)set->count * CBN_DIGEST_SIZE);
    if (!digests) {
        return cbn_error_memory();
    }
    bool fits = true;
    for (uint32_t i = 0; i < set->count; i++) {
        const unsigned char *row = cbn_row(&block->images, set->first_row + i);
        uint64_t raw_size = cbn_get64(row + CBN_IMAGE_RAW_SIZE);
        fits = fits && raw_size <= UINT64_MAX - set->raw_size;
        set->raw_size += raw_size;
        set->stored_size += cbn_get64(row + CBN_IMAGE_STORED_SIZE);
        memcpy(digests + (size_t)i * CBN_DIGEST_SIZE, row + CBN_IMAGE_DIGEST, CBN_DIGEST_SIZE);
    }
    set->digest = cbn_digest(digests, (size_t)set->count * CBN_DIGEST_SIZE);
    free(digests);
    return fits ? CUBINET_OK : row_error("image", set->first_row, "parts that are too large together");
}

static cubinet_status add_up_all(struct cbn_block *block)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < block->parts->image_count; i++) {
        if (block->parts->images[i].count > 1) {
            status = add_up(block, &block->parts->images[i]);
        }
    }
    return status;
}

/* Each global in at most one part of each image. */
static cubinet_status check_globals(const struct cbn_block *block)
{
    const struct cbn_parts *parts = block->parts;
    uint64_t next = 0;
    for (uint32_t i = 0; i < block->part_globals.count; i++) {
        const unsigned char *row = cbn_row(&block->part_globals, i);
        uint32_t global = cbn_get32(row + CBN_PART_GLOBAL_GLOBAL);
        uint32_t image = cbn_get32(row + CBN_PART_GLOBAL_IMAGE);
        if (global >= block->globals.count || !parts || image >= block->images.count ||
            parts->images[parts->row_images[image]].count == 1) {
            return row_error("part global", i, "of a global or part that is not there");
        }
        if (((uint64_t)global << 32 | image) < next) {
            return row_error("part global", i, "out of order, or in two parts of an image");
        }
        const struct cbn_part_set *set = &parts->images[parts->row_images[image]];
        next = ((uint64_t)global << 32 | set->first_row) + set->count;
    }
    return CUBINET_OK;
}

cubinet_status cbn_block_check_parts(struct cbn_block *block)
{
    cubinet_status status = check_globals(block);
    if (!block->parts) {
        return status;
    }
    if (!status) {
        status = check_kernels(block);
    }
    if (!status) {
        status = check_about(block);
    }
    return status ? status : add_up_all(block);
}
