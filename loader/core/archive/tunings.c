/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive records of tuning: docs/reference/format.md, "tunings". */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/digest.h"
#include "loader/core/archive/opened.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

#include <cubinet/tuning.h>

#include <stdlib.h>
#include <string.h>

static const struct {
    size_t offset; /* in the row */
    size_t member;
} numbers[] = {
    {CBN_TUNING_GRID_RULE, offsetof(cubinet_tuning, grid_rule)},
    {CBN_TUNING_DYNAMIC_SHARED, offsetof(cubinet_tuning, dynamic_shared_bytes)},
    {CBN_TUNING_CANDIDATES, offsetof(cubinet_tuning, candidate_count)},
    {CBN_TUNING_MEASUREMENTS, offsetof(cubinet_tuning, measurement_count)},
    {CBN_TUNING_DRIVER, offsetof(cubinet_tuning, driver_version)},
    {CBN_TUNING_TOOLKIT, offsetof(cubinet_tuning, toolkit)},
    {CBN_TUNING_SM_CLOCK, offsetof(cubinet_tuning, sm_clock_mhz)},
    {CBN_TUNING_MEMORY_CLOCK, offsetof(cubinet_tuning, memory_clock_mhz)},
};

static void read_configuration(const unsigned char *row, cubinet_tuning *tuning)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        *(uint32_t *)(void *)((char *)tuning + numbers[i].member) = cbn_get32(row + numbers[i].offset);
    }
    uint32_t flags = cbn_get32(row + CBN_TUNING_FLAGS);
    tuning->flags = (flags & CBN_TUNING_DEFAULT_STAYS ? CUBINET_TUNING_DEFAULT : 0u) |
                    (flags & CBN_TUNING_COLD ? CUBINET_TUNING_COLD : 0u) |
                    (flags & CBN_TUNING_CHECKED ? CUBINET_TUNING_CHECKED : 0u) |
                    (flags & CBN_TUNING_COOPERATIVE ? CUBINET_TUNING_COOPERATIVE : 0u);
    cbn_get_dimensions(row + CBN_TUNING_BLOCK, tuning->block);
    cbn_get_dimensions(row + CBN_TUNING_CLUSTER, tuning->cluster);
    cbn_get_dimensions(row + CBN_TUNING_GRID_VALUE, tuning->grid_value);
    cbn_get_dimensions(row + CBN_TUNING_GRID_LIMIT, tuning->grid_limit);
    tuning->time_ns = cbn_get64(row + CBN_TUNING_TIME);
    tuning->noise_ns = cbn_get64(row + CBN_TUNING_NOISE);
    tuning->untuned_time_ns = cbn_get64(row + CBN_TUNING_UNTUNED_TIME);
    tuning->untuned_noise_ns = cbn_get64(row + CBN_TUNING_UNTUNED_NOISE);
    tuning->date = cbn_get64(row + CBN_TUNING_DATE);
}

/* What was tuned, on what, and of which image. */
static void read_key(const struct cbn_block *block, const unsigned char *row, cubinet_tuning *tuning)
{
    const unsigned char *set = cbn_row(&block->tuned_sets, cbn_get32(row + CBN_TUNING_SET));
    const unsigned char *gpu = cbn_row(&block->gpus, cbn_get32(row + CBN_TUNING_GPU));
    uint32_t image_row = cbn_get32(row + CBN_TUNING_IMAGE);
    tuning->what = cbn_string_at(&block->strings, set + CBN_TUNED_SET_WHAT);
    tuning->instances = block->instance_list + cbn_get32(set + CBN_TUNED_SET_FIRST);
    tuning->instance_count = cbn_get32(set + CBN_TUNED_SET_COUNT);
    tuning->default_kernel = block->instance_list[cbn_get32(set + CBN_TUNED_SET_DEFAULT)];
    tuning->kernel = cbn_tuning_kernel(block, row);
    tuning->gpu = cbn_string_at(&block->strings, gpu + CBN_GPU_NAME);
    tuning->compute = cbn_get32(gpu + CBN_GPU_COMPUTE);
    tuning->multiprocessor_count = cbn_get32(gpu + CBN_GPU_MULTIPROCESSORS);
    for (size_t i = 0; i < 3; i++) {
        tuning->extent[i] = cbn_get64(row + CBN_TUNING_EXTENT + 8 * i);
    }
    tuning->target = (cubinet_target){.kind = (cubinet_image_kind)row[CBN_TUNING_KIND],
                                      .number = cbn_get16(row + CBN_TUNING_NUMBER),
                                      .suffix = row[CBN_TUNING_SUFFIX]};
    memcpy(tuning->digest, row + CBN_TUNING_DIGEST, sizeof(tuning->digest));
    if (image_row != CBN_TUNING_NO_IMAGE) {
        tuning->image = cbn_block_row_image(block, image_row);
        tuning->part = image_row - cbn_block_first_row(block, tuning->image);
    }
}

cubinet_status cubinet_archive_get_tuning_count(const cubinet_archive *archive, uint32_t module,
                                                uint32_t *out_count)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (!status && !out_count) {
        status =
            cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_archive_get_tuning_count: out_count is NULL");
    }
    if (!status) {
        *out_count = block->tunings.count;
    }
    return status;
}

cubinet_status cubinet_archive_get_tuning(const cubinet_archive *archive, uint32_t module, uint32_t tuning,
                                          cubinet_tuning *out_tuning)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    if (tuning >= block->tunings.count) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND,
                         "module '%s' has %u tuning records, numbered from 0: there is no number %u",
                         block->module, (unsigned)block->tunings.count, (unsigned)tuning);
    }
    const unsigned char *row = cbn_row(&block->tunings, tuning);
    cubinet_tuning record = {.size = sizeof(record), .image = CUBINET_UNKNOWN, .part = CUBINET_UNKNOWN};
    read_key(block, row, &record);
    read_configuration(row, &record);
    return cbn_sized_write(out_tuning, "cubinet_tuning", &record, sizeof(record));
}

cubinet_status cubinet_archive_get_code_digest(const cubinet_archive *archive, uint32_t module,
                                               uint32_t image, uint32_t part, uint8_t out_digest[16])
{
    struct cbn_image_bytes bytes = {0};
    if (!out_digest) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "cubinet_archive_get_code_digest: out_digest is NULL");
    }
    cubinet_status status = cbn_archive_take_part(archive, module, image, part, false, &bytes);
    if (!status) {
        struct cbn_digest digest = cbn_digest(bytes.data, bytes.size);
        memcpy(out_digest, digest.bytes, sizeof(digest.bytes));
        free(bytes.owned);
    }
    return status;
}
