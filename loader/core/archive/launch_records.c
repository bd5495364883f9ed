/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive records of how kernels are launched: docs/reference/format.md, "launches". */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

/* The record of a row of the resource table; NULL if there is none. */
static const unsigned char *find_launch(const struct cbn_block *block, const unsigned char *resources)
{
    uint32_t wanted = (uint32_t)((size_t)(resources - block->resources.rows) / block->resources.stride);
    return cbn_find_row(&block->launches, CBN_LAUNCH_RESOURCE, wanted);
}

static void read_launch(const struct cbn_block *block, const unsigned char *row,
                        cubinet_launch_record *record)
{
    uint32_t flags = cbn_get32(row + CBN_LAUNCH_FLAGS);
    record->flags = (flags & CBN_LAUNCH_TAKES_SHARED ? CUBINET_RECORD_TAKES_DYNAMIC_SHARED : 0u) |
                    (flags & CBN_LAUNCH_COOPERATIVE ? CUBINET_RECORD_COOPERATIVE : 0u) |
                    (flags & CBN_LAUNCH_WAITS ? CUBINET_RECORD_WAITS : 0u) |
                    (flags & CBN_LAUNCH_TRIGGERS ? CUBINET_RECORD_TRIGGERS : 0u);
    record->dynamic_shared_bytes = cbn_get32(row + CBN_LAUNCH_DYNAMIC_SHARED);
    cbn_get_dimensions(row + CBN_LAUNCH_BLOCK, record->block);
    cbn_get_dimensions(row + CBN_LAUNCH_GRID_FACTOR, record->grid_factor);
    cbn_get_dimensions(row + CBN_LAUNCH_CLUSTER, record->cluster);
    record->hidden_count = cbn_get16(row + CBN_LAUNCH_HIDDEN_COUNT);
    if (record->hidden_count) {
        record->hidden = block->hidden_list + cbn_get32(row + CBN_LAUNCH_FIRST_HIDDEN);
    }
    record->param_name_count = cbn_get16(row + CBN_LAUNCH_NAME_COUNT);
    if (record->param_name_count) {
        record->param_names = block->name_list + cbn_get32(row + CBN_LAUNCH_FIRST_NAME);
    }
}

static cubinet_launch_record record_of(const struct cbn_block *block, const unsigned char *resources)
{
    const unsigned char *row = find_launch(block, resources);
    cubinet_launch_record record = {.size = sizeof(record), .dynamic_shared_bytes = CUBINET_UNKNOWN};
    if (row) {
        read_launch(block, row, &record);
    }
    return record;
}

cubinet_status cubinet_archive_get_launch_record(const cubinet_archive *archive, uint32_t module,
                                                 uint32_t image, uint32_t kernel,
                                                 cubinet_launch_record *out_record)
{
    const struct cbn_block *block = NULL;
    const unsigned char *resources = NULL;
    cubinet_status status = cbn_archive_resources(archive, module, image, kernel, &block, &resources);
    if (status) {
        return status;
    }
    cubinet_launch_record record = record_of(block, resources);
    return cbn_sized_write(out_record, "cubinet_launch_record", &record, sizeof(record));
}

bool cbn_archive_get_record(const cubinet_archive *archive, uint32_t module, uint32_t image, uint32_t kernel,
                            struct cbn_kernel_record *out_record)
{
    const struct cbn_block *block = NULL;
    const unsigned char *row =
        cbn_archive_block(archive, module, &block) ? NULL : cbn_block_resources(block, image, kernel);
    if (row) {
        out_record->resources = cbn_resources_of(block, row);
        out_record->launch = record_of(block, row);
        out_record->part = cbn_get32(row + CBN_RESOURCE_IMAGE) - cbn_block_first_row(block, image);
    }
    return row != NULL;
}
