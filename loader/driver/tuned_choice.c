/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/tuned_choice.h"

#include "loader/core/support/error.h"
#include "loader/core/support/shape.h"
#include "loader/core/support/volume.h"
#include "loader/core/tuning/tuning_grid.h"
#include "loader/driver/launch_check.h"
#include "loader/driver/launch_fill.h"
#include "loader/driver/launch_hidden.h"

#include <string.h>

static uint32_t at_least_one(uint32_t value)
{
    return value ? value : 1;
}

static bool is_extent(const uint64_t a[3], const uint64_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Large extents that differ little have the same logarithm, and then the nearest may not be the wanted one.
 */
static uint32_t prefer_exact(const struct cbn_tuned_index *index, const struct cbn_tuned_group *group,
                             uint32_t nearest, const int32_t logs[3], const uint64_t extent[3])
{
    const struct cbn_extents *extents = &group->extents;
    for (uint32_t i = nearest; i < extents->count; i++) {
        if (extents->logs[0][i] == logs[0] &&
            is_extent(index->records[group->records[i]].tuning.extent, extent)) {
            return i;
        }
    }
    return nearest;
}

static struct cbn_tuned_record *find_record(const struct cbn_tuned_index *index,
                                            const struct cbn_tuned_group *group, const uint64_t extent[3],
                                            bool *out_exact)
{
    int32_t logs[3];
    uint32_t nearest = 0;
    for (int i = 0; i < 3; i++) {
        logs[i] = cbn_extent_log(extent[i]);
    }
    if (!cbn_extents_nearest(&group->extents, logs, &nearest)) {
        return NULL;
    }
    struct cbn_tuned_record *record = &index->records[group->records[nearest]];
    *out_exact = is_extent(record->tuning.extent, extent);
    if (!*out_exact && group->extents.logs[0][nearest] == logs[0]) {
        record = &index->records[group->records[prefer_exact(index, group, nearest, logs, extent)]];
        *out_exact = is_extent(record->tuning.extent, extent);
    }
    return record;
}

uint64_t cbn_tuned_per_block(const cubinet_tuning *tuning, int axis)
{
    switch (tuning->grid_rule) {
    case CUBINET_GRID_FIXED:
        return at_least_one(tuning->block[axis]);
    case CUBINET_GRID_PER_THREAD:
        return (uint64_t)at_least_one(tuning->grid_value[axis]) * at_least_one(tuning->block[axis]);
    default:
        return at_least_one(tuning->grid_value[axis]);
    }
}

static bool has_elements(const cubinet_tuning *tuning, uint32_t per_thread)
{
    return per_thread == 0 || (tuning->grid_rule != CUBINET_GRID_FIXED &&
                               cbn_tuned_per_block(tuning, 0) == (uint64_t)per_thread * tuning->block[0]);
}

/* What it was measured with: where it has no bytes, those of the launch record. */
static uint32_t shared_of(const cubinet_kernel *kernel, const cubinet_tuning *tuning)
{
    return cbn_launch_shared_bytes(kernel, tuning->dynamic_shared_bytes, 0);
}

static bool has_shared(const cubinet_kernel *kernel, const cubinet_tuning *tuning,
                       const cubinet_suggest_options *options)
{
    uint32_t bytes = shared_of(kernel, tuning);
    if (options->dynamic_shared_fn) {
        uint32_t threads = (uint32_t)cbn_volume(tuning->block);
        return options->dynamic_shared_fn(threads, options->dynamic_shared_user) == bytes;
    }
    if (options->flags & CUBINET_LAUNCH_NO_DYNAMIC_SHARED) {
        return bytes == 0;
    }
    return options->dynamic_shared_bytes == 0 || options->dynamic_shared_bytes == bytes;
}

static bool has_cluster(const cubinet_tuning *tuning, const uint32_t cluster[3])
{
    if (!cbn_volume(cluster)) {
        return true;
    }
    for (int i = 0; i < 3; i++) {
        if (at_least_one(cluster[i]) != at_least_one(tuning->cluster[i])) {
            return false;
        }
    }
    return true;
}

/* Whether a record is what a caller with these options might have been told without it. */
static bool agrees(const cubinet_kernel *kernel, const cubinet_tuning *tuning,
                   const cubinet_suggest_options *options)
{
    bool is_small = !options->max_block_threads || cbn_volume(tuning->block) <= options->max_block_threads;
    bool cooperates =
        !(options->flags & CUBINET_LAUNCH_COOPERATIVE) || (tuning->flags & CUBINET_TUNING_COOPERATIVE);
    return is_small && cooperates && has_elements(tuning, options->elements_per_thread) &&
           has_cluster(tuning, options->cluster) && has_shared(kernel, tuning, options);
}

void cbn_tuned_config(const cubinet_kernel *kernel, const struct cbn_tuned_choice *choice,
                      const uint64_t extent[3], cubinet_launch_config *out_config)
{
    const cubinet_tuning *tuning = &choice->record->tuning;
    uint32_t bytes = shared_of(kernel, tuning);
    *out_config = (cubinet_launch_config){
        .size = sizeof(*out_config),
        .dynamic_shared_bytes = bytes,
        .flags = (tuning->flags & CUBINET_TUNING_COOPERATIVE ? (uint32_t)CUBINET_LAUNCH_COOPERATIVE : 0) |
                 (bytes == 0 ? cbn_launch_none_flag(kernel) : 0),
    };
    for (int i = 0; i < 3; i++) {
        out_config->grid[i] = choice->grid[i];
        out_config->block[i] = tuning->block[i];
        out_config->cluster[i] = tuning->cluster[i];
    }
    cbn_extent_put(kernel, extent, out_config);
}

/* Static shared memory that is not recorded, the launch itself knows. */
static bool fits_shared(const cubinet_kernel *kernel, uint32_t dynamic)
{
    uint32_t fixed = kernel->record.resources.static_shared_bytes;
    return (uint64_t)dynamic + (fixed == CUBINET_UNKNOWN ? 0 : fixed) <=
           kernel->module->device->shared_optin_bytes;
}

/* Whether a record's own launch is one that the kernel and the device can be asked for. Threads that find it
 * out at the same time find the same. */
static bool is_launchable(const cubinet_kernel *kernel, struct cbn_tuned_record *record)
{
    int state = atomic_load_explicit(&record->state, memory_order_relaxed);
    if (state == CBN_TUNED_NOT_CHECKED) {
        struct cbn_tuned_choice own = {.record = record};
        struct cbn_launch launch;
        memcpy(own.grid, record->grid, sizeof(own.grid));
        struct cbn_kept_error kept = cbn_error_keep();
        cubinet_launch_config config;
        cbn_tuned_config(kernel, &own, record->tuning.extent, &config);
        bool fits = record->has_grid && cbn_extent_fits(kernel, record->tuning.extent) &&
                    !cbn_launch_check_config(kernel, &config, &launch) &&
                    fits_shared(kernel, config.dynamic_shared_bytes);
        cbn_error_put_back(&kept);
        state = fits ? CBN_TUNED_FITS : CBN_TUNED_REFUSED;
        atomic_store_explicit(&record->state, state, memory_order_relaxed);
    }
    return state == CBN_TUNED_FITS;
}

/* The grid of an extent near the record's own. All blocks of a cooperative one are resident, so that more
 * than were measured may not be. */
static bool lay_out(const cubinet_kernel *kernel, const struct cbn_tuned_record *record,
                    const uint64_t extent[3], uint32_t grid[3])
{
    if (!cbn_tuning_grid(&record->tuning, extent, grid) || !cbn_extent_fits(kernel, extent)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if ((uint64_t)grid[i] * at_least_one(kernel->record.launch.grid_factor[i]) >
            kernel->module->device->max_grid[i]) {
            return false;
        }
    }
    return !(record->tuning.flags & CUBINET_TUNING_COOPERATIVE) ||
           cbn_shape_blocks(grid) <= cbn_shape_blocks(record->grid);
}

/* Why the record that was found is not used, if so. */
static enum cubinet_untuned_reason try_record(const cubinet_kernel *kernel, struct cbn_tuned_choice *choice,
                                              const uint64_t extent[3],
                                              const cubinet_suggest_options *options)
{
    if (!choice->is_exact && (choice->record->tuning.flags & CUBINET_TUNING_DEFAULT)) {
        return CUBINET_UNTUNED_DEFAULT;
    }
    if (!agrees(kernel, &choice->record->tuning, options)) {
        return CUBINET_UNTUNED_OPTIONS;
    }
    if (!is_launchable(kernel, choice->record)) {
        return CUBINET_UNTUNED_LIMIT;
    }
    if (!choice->is_exact) {
        return lay_out(kernel, choice->record, extent, choice->grid) ? CUBINET_UNTUNED_NOT
                                                                     : CUBINET_UNTUNED_LIMIT;
    }
    for (int i = 0; i < 3; i++) {
        choice->grid[i] = choice->record->grid[i];
    }
    return CUBINET_UNTUNED_NOT;
}

void cbn_tuned_choose(const struct cubinet_module *module, const struct cbn_tuned_index *index,
                      const struct cbn_tuned_group *group, const uint64_t extent[3],
                      const cubinet_suggest_options *options, struct cbn_tuned_choice *out_choice)
{
    out_choice->record = NULL;
    out_choice->is_exact = false;
    if (options->flags & CUBINET_SUGGEST_NO_TUNING) {
        out_choice->reason = CUBINET_UNTUNED_IGNORED;
    } else if (group->extents.count == 0) {
        out_choice->reason = CUBINET_UNTUNED_NO_RECORD;
    } else {
        out_choice->record = find_record(index, group, extent, &out_choice->is_exact);
        out_choice->reason = CUBINET_UNTUNED_OUTSIDE;
    }
    if (out_choice->record) {
        const cubinet_kernel *kernel = &module->kernels[out_choice->record->kernel];
        out_choice->reason = try_record(kernel, out_choice, extent, options);
    }
}

cubinet_status cbn_tuned_choose_for(const cubinet_kernel *kernel, const uint64_t extent[3],
                                    const cubinet_suggest_options *options,
                                    struct cbn_tuned_choice *out_choice)
{
    static const struct cbn_tuned_group none;
    const struct cbn_tuned_index *index = NULL;
    cubinet_status status = cbn_tuned_index_get(kernel->module, &index);
    if (!status) {
        const struct cbn_tuned_group *group = index->kernels ? &index->kernels[kernel->index] : &none;
        cbn_tuned_choose(kernel->module, index, group, extent, options, out_choice);
    }
    return status;
}
