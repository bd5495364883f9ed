/* SPDX-License-Identifier: Apache-2.0 */
/* The rules for tuning records: docs/reference/format.md, "tuned sets", "instances", "GPUs" and "tunings". */
#include "loader/core/archive/block.h"
#include "loader/core/support/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static cubinet_status row_error(const char *table, uint32_t row, const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "%s %u: %s", table, (unsigned)row, what);
}

/* `count` instances from `first` on, which exist, are in order and have names. */
static cubinet_status check_instances(const struct cbn_block *block, uint32_t first, uint32_t count,
                                      uint64_t *io_room)
{
    const char *previous = "";
    for (uint32_t i = first; i < first + count; i++) {
        const unsigned char *row = cbn_row(&block->instances, i);
        const char *name = cbn_take_name(&block->strings, cbn_get32(row + CBN_INSTANCE_NAME), io_room);
        if (!name || strcmp(previous, name) >= 0) {
            return row_error("instance", i, "missing, malformed or misplaced name");
        }
        previous = name;
    }
    return CUBINET_OK;
}

static bool is_instance(const unsigned char *set, uint32_t instance)
{
    uint32_t first = cbn_get32(set + CBN_TUNED_SET_FIRST);
    return instance >= first && instance - first < cbn_get32(set + CBN_TUNED_SET_COUNT);
}

/* Each set's instances follow those of the set before it. */
static cubinet_status check_sets(const struct cbn_block *block)
{
    const char *previous = "";
    uint32_t next = 0;
    uint64_t room = cbn_string_room(block->size);
    uint64_t instance_room = room;
    for (uint32_t i = 0; i < block->tuned_sets.count; i++) {
        const unsigned char *row = cbn_row(&block->tuned_sets, i);
        uint32_t count = cbn_get32(row + CBN_TUNED_SET_COUNT);
        const char *what = cbn_take_name(&block->strings, cbn_get32(row + CBN_TUNED_SET_WHAT), &room);
        if (!what || strcmp(previous, what) >= 0) {
            return row_error("tuned set", i, "missing, malformed or misplaced name");
        }
        if (cbn_get32(row + CBN_TUNED_SET_FIRST) != next || count > block->instances.count - next) {
            return row_error("tuned set", i, "instances that are not there");
        }
        if (!is_instance(row, cbn_get32(row + CBN_TUNED_SET_DEFAULT))) {
            return row_error("tuned set", i, "its default is none of its instances");
        }
        cubinet_status status = check_instances(block, next, count, &instance_room);
        if (status) {
            return status;
        }
        previous = what;
        next += count;
    }
    return next == block->instances.count ? CUBINET_OK
                                          : row_error("instance", next, "it belongs to no tuned set");
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_gpus(const struct cbn_block *block, uint32_t a, uint32_t b)
{
    const unsigned char *left = cbn_row(&block->gpus, a);
    const unsigned char *right = cbn_row(&block->gpus, b);
    int order = strcmp(cbn_string_at(&block->strings, left + CBN_GPU_NAME),
                       cbn_string_at(&block->strings, right + CBN_GPU_NAME));
    for (size_t i = CBN_GPU_COMPUTE; !order && i <= CBN_GPU_MULTIPROCESSORS; i += 4) {
        order = compare(cbn_get32(left + i), cbn_get32(right + i));
    }
    return order;
}

/* A GPU's name is told with each of its records, and so has a limit of its own. */
static cubinet_status check_gpus(const struct cbn_block *block)
{
    uint64_t room = cbn_string_room(block->size);
    for (uint32_t i = 0; i < block->gpus.count; i++) {
        const unsigned char *row = cbn_row(&block->gpus, i);
        uint64_t before = room;
        const char *name = cbn_take_name(&block->strings, cbn_get32(row + CBN_GPU_NAME), &room);
        if (!name || !*name || before - room > CBN_GPU_NAME_MAX + 1) {
            return row_error("GPU", i, "missing or malformed name");
        }
        if (i > 0 && compare_gpus(block, i - 1, i) >= 0) {
            return row_error("GPU", i, "out of order");
        }
    }
    return CUBINET_OK;
}

/* At `target` stand the kind, suffix and number, as in rows of images. */
static cubinet_target target_at(const unsigned char *target)
{
    return (cubinet_target){.kind = (cubinet_image_kind)target[CBN_IMAGE_KIND],
                            .number = cbn_get16(target + CBN_IMAGE_NUMBER),
                            .suffix = target[CBN_IMAGE_SUFFIX]};
}

static cubinet_target target_of(const unsigned char *row)
{
    return target_at(row + CBN_TUNING_KIND);
}

/* In the order of the table. */
static int compare_tunings(const unsigned char *a, const unsigned char *b)
{
    int order = compare(cbn_get32(a + CBN_TUNING_SET), cbn_get32(b + CBN_TUNING_SET));
    if (!order) {
        order = compare(cbn_get32(a + CBN_TUNING_GPU), cbn_get32(b + CBN_TUNING_GPU));
    }
    if (!order) {
        order = cubinet_target_compare(target_of(a), target_of(b));
    }
    for (size_t i = 0; !order && i < 3; i++) {
        order = compare(cbn_get64(a + CBN_TUNING_EXTENT + 8 * i), cbn_get64(b + CBN_TUNING_EXTENT + 8 * i));
    }
    return order;
}

/* Whether a record that is not void is of an image of its target that has its kernel. */
static bool is_true_of_image(const struct cbn_block *block, const unsigned char *row)
{
    uint32_t image_row = cbn_get32(row + CBN_TUNING_IMAGE);
    uint32_t kernel = 0;
    if (image_row == CBN_TUNING_NO_IMAGE) {
        return true;
    }
    if (image_row >= block->images.count ||
        cubinet_target_compare(target_at(cbn_row(&block->images, image_row)), target_of(row)) != 0 ||
        !cbn_find_string(&block->kernels, &block->strings, CBN_KERNEL_NAME, cbn_tuning_kernel(block, row),
                         &kernel)) {
        return false;
    }
    const unsigned char *resources =
        cbn_block_resources(block, cbn_block_row_image(block, image_row), kernel);
    return resources && cbn_get32(resources + CBN_RESOURCE_IMAGE) == image_row;
}

static bool has_extent(const unsigned char *row)
{
    return cbn_get64(row + CBN_TUNING_EXTENT) && cbn_get64(row + CBN_TUNING_EXTENT + 8) &&
           cbn_get64(row + CBN_TUNING_EXTENT + 16);
}

static cubinet_status check_tuning(const struct cbn_block *block, uint32_t number)
{
    const unsigned char *row = cbn_row(&block->tunings, number);
    uint32_t set = cbn_get32(row + CBN_TUNING_SET);
    if (set >= block->tuned_sets.count || cbn_get32(row + CBN_TUNING_GPU) >= block->gpus.count) {
        return row_error("tuning", number, "of a tuned set or GPU that is not there");
    }
    if (!is_instance(cbn_row(&block->tuned_sets, set), cbn_get32(row + CBN_TUNING_INSTANCE))) {
        return row_error("tuning", number, "its kernel is not an instance of its tuned set");
    }
    if (number > 0 && compare_tunings(cbn_row(&block->tunings, number - 1), row) >= 0) {
        return row_error("tuning", number, "out of order");
    }
    if (!is_true_of_image(block, row)) {
        return row_error("tuning", number, "of an image that is not there, or has not its target or kernel");
    }
    return has_extent(row) ? CUBINET_OK : row_error("tuning", number, "an extent of 0");
}

/* Names are told with each record: see check_told() in block.c. What a record itself tells takes some hundred
 * bytes, so that names of usual lengths add little to it: only the rest counts for the archive. */
static bool take_told(const struct cbn_block *block, const unsigned char *row, uint64_t *io_room,
                      uint64_t *io_told)
{
    const unsigned char *set = cbn_row(&block->tuned_sets, cbn_get32(row + CBN_TUNING_SET));
    size_t size = strlen(cbn_string_at(&block->strings, set + CBN_TUNED_SET_WHAT)) + 1 +
                  strlen(cbn_tuning_kernel(block, row)) + 1;
    if (size > *io_room) {
        return false;
    }
    *io_room -= size;
    *io_told += size > CBN_TOLD_TUNING ? size - CBN_TOLD_TUNING : 0;
    return true;
}

cubinet_status cbn_block_check_tunings(struct cbn_block *block)
{
    uint64_t room = cbn_block_told_room(block);
    uint64_t told = 0;
    cubinet_status status = check_sets(block);
    if (!status) {
        status = check_gpus(block);
    }
    for (uint32_t i = 0; !status && i < block->tunings.count; i++) {
        status = check_tuning(block, i);
        if (!status && !take_told(block, cbn_row(&block->tunings, i), &room, &told)) {
            status = row_error("tuning", i, "names that are too long for so many");
        }
    }
    cbn_block_tell(block, told);
    return status;
}

cubinet_status cbn_block_convert_tunings(struct cbn_block *block)
{
    uint32_t count = block->instances.count;
    block->instance_list = count ? calloc(count, sizeof(*block->instance_list)) : NULL;
    if (count && !block->instance_list) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < count; i++) {
        block->instance_list[i] =
            cbn_string_at(&block->strings, cbn_row(&block->instances, i) + CBN_INSTANCE_NAME);
    }
    return CUBINET_OK;
}
