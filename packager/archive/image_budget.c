/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/image_budget.h"

#include "base/array.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"

#include <stdbool.h>
#include <stdlib.h>

/* Several times what alike kernels compress to when each is stored as its difference from another. */
enum { RATIO = 256, ALWAYS = 256 << 20 };

/* Modules may share an image, which is stored once and read for each of them. */
enum { SHARED_PART = 4 };

/* The stored bytes of an image or part, and what it takes to read them. */
struct cost {
    uint64_t offset;
    uint64_t stored_size;
    uint64_t bytes;
};

struct costs {
    struct cost *items;
    size_t count;
};

uint64_t image_budget(uint64_t archive_size)
{
    uint64_t by_ratio = archive_size > UINT64_MAX / RATIO ? UINT64_MAX : archive_size * RATIO;
    return by_ratio > ALWAYS ? by_ratio : ALWAYS;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* A base is decompressed each time that an image is read which was made from it. */
static cubinet_status add_base(const cubinet_archive *archive, const cubinet_part_info *info,
                               struct cost *cost)
{
    cubinet_part_info base = {.size = sizeof(base)};
    if (info->encoding != CUBINET_ENCODING_ZSTD_BASE) {
        return CUBINET_OK;
    }
    cubinet_status status =
        cubinet_archive_get_part(archive, info->base_module, info->base_image, info->base_part, &base);
    cost->bytes = add(cost->bytes, base.raw_size);
    /* Reading the image says what is wrong with the archive, and takes nothing. */
    return status == CUBINET_ERROR_NOT_FOUND ? CUBINET_OK : status;
}

static cubinet_status add_part(const cubinet_archive *archive, uint32_t module, uint32_t image, uint32_t part,
                               struct costs *costs)
{
    cubinet_part_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_part(archive, module, image, part, &info);
    struct cost *items = status ? NULL : array_grow(costs->items, costs->count, sizeof(*items));
    if (!items) {
        return status ? status : cbn_error_memory();
    }
    costs->items = items;
    items[costs->count] =
        (struct cost){.offset = info.offset, .stored_size = info.stored_size, .bytes = info.raw_size};
    return add_base(archive, &info, &items[costs->count++]);
}

static cubinet_status add_module(const cubinet_archive *archive, uint32_t module, struct costs *costs)
{
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(archive, module, &info);
    for (uint32_t i = 0; !status && i < info.image_count; i++) {
        cubinet_image_info image = {.size = sizeof(image)};
        status = cubinet_archive_get_image(archive, module, i, &image);
        for (uint32_t j = 0; !status && j < image.part_count; j++) {
            status = add_part(archive, module, i, j, costs);
        }
    }
    return status;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Of those with the same stored bytes, the one that takes most is first. */
static int compare_costs(const void *a, const void *b)
{
    const struct cost *left = a;
    const struct cost *right = b;
    int order = compare(left->offset, right->offset);
    order = order ? order : compare(left->stored_size, right->stored_size);
    return order ? order : compare(right->bytes, left->bytes);
}

static uint64_t sum(struct costs *costs)
{
    uint64_t bytes = 0;
    if (costs->count > 1) {
        qsort(costs->items, costs->count, sizeof(*costs->items), compare_costs);
    }
    for (size_t i = 0; i < costs->count; i++) {
        const struct cost *cost = &costs->items[i];
        bool is_shared =
            i > 0 && cost[-1].offset == cost->offset && cost[-1].stored_size == cost->stored_size;
        bytes = add(bytes, is_shared ? cost->bytes / SHARED_PART : cost->bytes);
    }
    return bytes;
}

/* `advice`: what can be done about it */
static cubinet_status check(const cubinet_archive *archive, uint32_t first, uint32_t count,
                            const char *advice)
{
    cubinet_archive_info info = {.size = sizeof(info)};
    struct costs costs = {0};
    cubinet_status status = cubinet_archive_get_info(archive, &info);
    for (uint32_t i = first; !status && i < first + count; i++) {
        status = add_module(archive, i, &costs);
    }
    if (!status && sum(&costs) > image_budget(info.archive_size)) {
        status = cbn_error(CUBINET_ERROR_LIMIT,
                           "the images of %s take more than %llu bytes together when they are read, which "
                           "is the limit for its %llu bytes; %s",
                           cbn_archive_name(archive), (unsigned long long)image_budget(info.archive_size),
                           (unsigned long long)info.archive_size, advice);
    }
    free(costs.items);
    return status;
}

static const char reader_advice[] =
    "take single ones with `cubinet extract`, or have it packed with `--compress none`";

cubinet_status image_budget_check(const cubinet_archive *archive)
{
    return check(archive, 0, cubinet_archive_get_module_count(archive), reader_advice);
}

cubinet_status image_budget_check_module(const cubinet_archive *archive, uint32_t module)
{
    return check(archive, module, 1, reader_advice);
}

cubinet_status image_budget_check_written(const cubinet_archive *archive)
{
    return check(archive, 0, cubinet_archive_get_module_count(archive),
                 "write several archives with fewer modules each, or, if images are compressed, use "
                 "`--compress none`");
}
