/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/image_budget.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"

#include <stdbool.h>

/* Several times what alike kernels compress to when each is stored as its difference from another. */
enum { RATIO = 256, ALWAYS = 256 << 20 };

uint64_t image_budget(uint64_t archive_size)
{
    uint64_t by_ratio = archive_size > UINT64_MAX / RATIO ? UINT64_MAX : archive_size * RATIO;
    return by_ratio > ALWAYS ? by_ratio : ALWAYS;
}

/* Takes the images of a module out of what is left. */
static cubinet_status spend(const cubinet_archive *archive, uint32_t module, uint64_t *io_left,
                            bool *out_is_over)
{
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(archive, module, &info);
    for (uint32_t i = 0; !status && !*out_is_over && i < info.image_count; i++) {
        cubinet_image_info image = {.size = sizeof(image)};
        status = cubinet_archive_get_image(archive, module, i, &image);
        *out_is_over = !status && image.raw_size > *io_left;
        *io_left -= *out_is_over ? 0 : image.raw_size;
    }
    return status;
}

static cubinet_status check(const cubinet_archive *archive, uint32_t first, uint32_t count)
{
    cubinet_archive_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_info(archive, &info);
    uint64_t left = image_budget(info.archive_size);
    bool is_over = false;
    for (uint32_t i = first; !status && !is_over && i < first + count; i++) {
        status = spend(archive, i, &left, &is_over);
    }
    if (!is_over) {
        return status;
    }
    return cbn_error(
        CUBINET_ERROR_LIMIT,
        "the images of %s take more than %llu bytes together when they are decompressed, which is "
        "the limit for its %llu bytes; take single ones with `cubinet extract`, or have it packed "
        "with `--compress none`",
        cbn_archive_name(archive), (unsigned long long)image_budget(info.archive_size),
        (unsigned long long)info.archive_size);
}

cubinet_status image_budget_check(const cubinet_archive *archive)
{
    return check(archive, 0, cubinet_archive_get_module_count(archive));
}

cubinet_status image_budget_check_module(const cubinet_archive *archive, uint32_t module)
{
    return check(archive, module, 1);
}
