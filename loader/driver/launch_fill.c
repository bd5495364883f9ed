/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/launch_fill.h"

#include "loader/core/support/error.h"
#include "loader/core/support/volume.h"
#include "loader/driver/launch_hidden.h"

#include <string.h>

static bool is_empty(const uint32_t sides[3])
{
    return !sides[0] && !sides[1] && !sides[2];
}

static bool has_any(const uint32_t extent[4])
{
    return extent[0] || extent[1] || extent[2] || extent[3];
}

static void take_sides(uint32_t sides[3], const uint32_t recorded[3])
{
    if (is_empty(sides)) {
        memcpy(sides, recorded, 3 * sizeof(*sides));
    }
}

/* A grid that has a thread for each element, in one row: kernels with launch bounds number their threads
 * along x. */
static cubinet_status grid_of_extent(const cubinet_kernel *kernel, uint64_t threads,
                                     cubinet_launch_config *config)
{
    uint64_t block = cbn_volume(config->block);
    if (!block) { /* which is refused later */
        return CUBINET_OK;
    }
    uint64_t blocks = (threads + block - 1) / block;
    uint64_t cluster = cbn_volume(config->cluster);
    if (threads > UINT32_MAX || blocks > kernel->module->device->max_grid[0]) {
        return cbn_error(
            CUBINET_ERROR_LIMIT,
            "kernel '%s': an extent of %llu threads is more than one row of blocks holds; give the "
            "grid, too",
            cbn_kernel_expression(kernel), (unsigned long long)threads);
    }
    if (cluster > 1) {
        blocks = (blocks + cluster - 1) / cluster * cluster;
    }
    config->grid[0] = (uint32_t)blocks;
    return CUBINET_OK;
}

uint32_t cbn_launch_shared_bytes(const cubinet_kernel *kernel, uint32_t given, uint32_t flags)
{
    uint32_t recorded = kernel->record.launch.dynamic_shared_bytes;
    bool is_left_out = given == 0 && !(flags & (CUBINET_LAUNCH_NO_DYNAMIC_SHARED | CUBINET_LAUNCH_NO_RECORD));
    return is_left_out && kernel->is_recorded && recorded != CUBINET_UNKNOWN ? recorded : given;
}

cubinet_status cbn_launch_fill(const cubinet_kernel *kernel, cubinet_launch_config *config)
{
    const cubinet_launch_record *record = &kernel->record.launch;
    uint64_t threads = 0;
    bool has_extent = has_any(config->extent) || config->threads_per_element;
    cubinet_status status = has_extent ? cbn_extent_threads(kernel, config, &threads) : CUBINET_OK;
    if (status) {
        return status;
    }
    if (config->flags & CUBINET_LAUNCH_NO_RECORD) {
        return CUBINET_OK;
    }
    take_sides(config->block, record->block);
    if (!cbn_recorded_volume(kernel->record.resources.required_cluster)) {
        take_sides(config->cluster, record->cluster);
    }
    config->dynamic_shared_bytes =
        cbn_launch_shared_bytes(kernel, config->dynamic_shared_bytes, config->flags);
    if (record->flags & CUBINET_RECORD_COOPERATIVE) {
        config->flags |= CUBINET_LAUNCH_COOPERATIVE;
    }
    return has_extent && is_empty(config->grid) ? grid_of_extent(kernel, threads, config) : CUBINET_OK;
}

uint32_t cbn_launch_grid_factor(const cubinet_kernel *kernel, const cubinet_launch_config *config, int axis)
{
    uint32_t factor = kernel->record.launch.grid_factor[axis];
    return factor && !(config->flags & CUBINET_LAUNCH_NO_RECORD) ? factor : 1;
}

const uint32_t *cbn_launch_own_block(const cubinet_kernel *kernel)
{
    if (cbn_recorded_volume(kernel->record.resources.required_block)) {
        return kernel->record.resources.required_block;
    }
    return is_empty(kernel->record.launch.block) ? NULL : kernel->record.launch.block;
}
