/* SPDX-License-Identifier: Apache-2.0 */
/* A launch configuration to use: the block sizes of the highest occupancy, and of these the one that suits
 * the extent. */
#include "loader/core/support/error.h"
#include "loader/core/support/shape.h"
#include "loader/core/support/sized.h"
#include "loader/core/support/volume.h"
#include "loader/driver/launch_check.h"
#include "loader/driver/launch_fill.h"
#include "loader/driver/launch_hidden.h"
#include "loader/driver/multiprocessors.h"
#include "loader/driver/occupancy_driver.h"
#include "loader/driver/opt_in.h"
#include "loader/driver/tuned_choice.h"

#include <cubinet/launch.h>

#include <string.h>

/* Of block sizes with the same occupancy, the nearest to this one: large enough to share, and small enough
 * that a multiprocessor has others to run while one waits or ends. */
enum { FAVOURITE_THREADS = 256 };

/* What is wanted. */
struct wish {
    const cubinet_kernel *kernel;
    cubinet_suggest_options options;
    uint64_t extent[3];       /* at least 1 each */
    uint32_t cluster[3];      /* all 0: none */
    uint32_t multiprocessors; /* of the module's context */
};

/* One block size, and what comes of it. */
struct candidate {
    uint32_t threads;
    uint32_t dynamic_shared_bytes;
    uint32_t active_blocks; /* on each multiprocessor */
    uint32_t block[3];
    struct cbn_grid_request request;
    uint32_t grid[3];
};

static const struct cbn_device *device_of(const struct wish *wish)
{
    return wish->kernel->module->device;
}

static uint32_t dynamic_shared_of(const struct wish *wish, uint32_t threads)
{
    const cubinet_suggest_options *options = &wish->options;
    return options->dynamic_shared_fn ? options->dynamic_shared_fn(threads, options->dynamic_shared_user)
                                      : options->dynamic_shared_bytes;
}

/* The grid of a candidate whose block has its shape. */
static void lay_out(const struct wish *wish, struct candidate *candidate)
{
    struct cbn_grid_request *request = &candidate->request;
    uint32_t each = wish->options.elements_per_thread;
    for (int i = 0; i < 3; i++) {
        request->extent[i] = wish->extent[i];
        request->per_block[i] = (uint64_t)candidate->block[i] * (i == 0 && each ? each : 1);
        request->unit[i] = wish->cluster[i] ? wish->cluster[i] : 1;
        request->limit[i] = device_of(wish)->max_grid[i];
    }
    cbn_shape_grid(request, candidate->grid);
}

static cubinet_status try_block(const struct wish *wish, struct candidate *candidate)
{
    candidate->dynamic_shared_bytes = dynamic_shared_of(wish, candidate->threads);
    return cbn_active_blocks(wish->kernel, candidate->threads, candidate->dynamic_shared_bytes,
                             &candidate->active_blocks);
}

static uint64_t active_threads(const struct candidate *candidate)
{
    return (uint64_t)candidate->threads * candidate->active_blocks;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* Multiprocessors that get a block. */
static uint64_t busy_multiprocessors(const struct wish *wish, const struct candidate *candidate)
{
    uint64_t blocks = cbn_shape_blocks(candidate->grid);
    uint32_t count = wish->multiprocessors;
    return blocks < count ? blocks : count;
}

static bool is_better(const struct wish *wish, const struct candidate *a, const struct candidate *b)
{
    if (active_threads(a) != active_threads(b)) {
        return active_threads(a) > active_threads(b);
    }
    uint64_t busy_a = busy_multiprocessors(wish, a);
    uint64_t busy_b = busy_multiprocessors(wish, b);
    if (busy_a != busy_b) {
        return busy_a > busy_b;
    }
    return distance(a->threads, FAVOURITE_THREADS) < distance(b->threads, FAVOURITE_THREADS);
}

/* The largest block to try: whole warps, unless the kernel or the caller allows less than one. */
static uint32_t greatest_block(const struct wish *wish)
{
    const char *reason = NULL;
    uint32_t limit = (uint32_t)cbn_launch_thread_limit(wish->kernel, &reason);
    uint32_t asked = wish->options.max_block_threads;
    uint32_t warp = device_of(wish)->limits.warp_size;
    limit = asked && asked < limit ? asked : limit;
    return limit > warp ? limit / warp * warp : limit;
}

static cubinet_status no_block_fits(const struct wish *wish)
{
    const struct cbn_device *device = device_of(wish);
    return cbn_error(
        CUBINET_ERROR_LIMIT,
        "kernel '%s': a multiprocessor of device %d (%s) has room for no block of up to %u threads "
        "with the dynamic shared memory asked for",
        cbn_kernel_expression(wish->kernel), device->handle, device->name, greatest_block(wish));
}

/* A block size that needs more shared memory than there is does not fail the others. */
static cubinet_status choose_block(const struct wish *wish, struct candidate *best)
{
    uint32_t warp = device_of(wish)->limits.warp_size;
    cubinet_status status = CUBINET_OK;
    for (uint32_t threads = greatest_block(wish); threads > 0; threads -= threads < warp ? threads : warp) {
        struct candidate candidate = {.threads = threads};
        status = try_block(wish, &candidate);
        if (status == CUBINET_ERROR_LIMIT && wish->options.dynamic_shared_fn) {
            continue;
        }
        if (status) {
            return status;
        }
        cbn_shape_block(threads, warp, wish->extent, device_of(wish)->max_block, candidate.block);
        lay_out(wish, &candidate);
        if (candidate.active_blocks && (!best->threads || is_better(wish, &candidate, best))) {
            *best = candidate;
        }
    }
    return best->threads ? CUBINET_OK : no_block_fits(wish);
}

/* The block that the kernel was compiled for. */
static cubinet_status take_required_block(const struct wish *wish, struct candidate *best)
{
    const uint32_t *required = cbn_launch_own_block(wish->kernel);
    for (int i = 0; i < 3; i++) {
        best->block[i] = required[i] ? required[i] : 1;
    }
    best->threads = (uint32_t)cbn_recorded_volume(required);
    uint32_t asked = wish->options.max_block_threads;
    if (asked && best->threads > asked) {
        return cbn_error(
            CUBINET_ERROR_LIMIT,
            "kernel '%s' was compiled for blocks of exactly %u × %u × %u threads; at most %u were "
            "asked for",
            cbn_kernel_expression(wish->kernel), best->block[0], best->block[1], best->block[2], asked);
    }
    cubinet_status status = try_block(wish, best);
    if (!status && !best->active_blocks) {
        status = no_block_fits(wish);
    }
    lay_out(wish, best);
    return status;
}

/* The candidate as a launch, its grid compared with the limits again: the kernel's cluster may not be on this
 * device. */
static cubinet_status make_config(const struct wish *wish, const struct candidate *candidate,
                                  cubinet_launch_config *out_config, struct cbn_launch *out_launch)
{
    cubinet_launch_config config = {
        .size = sizeof(config),
        .dynamic_shared_bytes = candidate->dynamic_shared_bytes,
        .flags = wish->options.flags,
    };
    if (wish->options.dynamic_shared_fn && config.dynamic_shared_bytes == 0) {
        config.flags |= cbn_launch_none_flag(wish->kernel);
    }
    memcpy(config.grid, candidate->grid, sizeof(config.grid));
    memcpy(config.block, candidate->block, sizeof(config.block));
    memcpy(config.cluster, wish->cluster, sizeof(config.cluster));
    if (!cbn_extent_fits(wish->kernel, wish->extent)) {
        return cbn_error(
            CUBINET_ERROR_LIMIT,
            "kernel '%s' takes an extent of at most 2^32 - 1 along each axis; %llu × %llu × %llu "
            "was asked for",
            cbn_kernel_expression(wish->kernel), (unsigned long long)wish->extent[0],
            (unsigned long long)wish->extent[1], (unsigned long long)wish->extent[2]);
    }
    cbn_extent_put(wish->kernel, wish->extent, &config);
    *out_config = config;
    return cbn_launch_check_config(wish->kernel, &config, out_launch);
}

/* Blocks that the device holds at the same time. */
static cubinet_status count_resident(const struct wish *wish, const struct candidate *candidate,
                                     const struct cbn_launch *launch, uint64_t *out_blocks)
{
    uint64_t cluster_blocks = cbn_launch_cluster_blocks(launch);
    uint32_t clusters = 0;
    if (!cluster_blocks) {
        *out_blocks = (uint64_t)candidate->active_blocks * wish->multiprocessors;
        return CUBINET_OK;
    }
    cubinet_status status = cbn_active_clusters(wish->kernel, launch, &clusters);
    if (wish->multiprocessors < device_of(wish)->limits.multiprocessor_count) {
        /* The driver may count all of the device's. */
        uint64_t fit = (uint64_t)candidate->active_blocks * wish->multiprocessors / cluster_blocks;
        clusters = clusters > fit ? (uint32_t)fit : clusters;
    }
    *out_blocks = clusters * cluster_blocks;
    if (!status && !clusters) {
        status =
            cbn_error(CUBINET_ERROR_LIMIT,
                      "kernel '%s': device %d (%s) has no room for a cluster of %llu blocks of %u threads",
                      cbn_kernel_expression(wish->kernel), device_of(wish)->handle, device_of(wish)->name,
                      (unsigned long long)cluster_blocks, candidate->threads);
    }
    return status;
}

static void describe(const struct candidate *candidate, uint64_t resident, cubinet_launch_estimate *estimate)
{
    for (int i = 0; i < 3; i++) {
        estimate->rounds[i] = cbn_shape_rounds(&candidate->request, candidate->grid, i);
    }
    estimate->blocks = cbn_shape_blocks(candidate->grid);
    estimate->resident_blocks = resident;
    estimate->waves = (double)estimate->blocks / (double)resident;
    uint64_t whole_waves = (estimate->blocks - 1) / resident + 1;
    estimate->tail_efficiency = estimate->waves / (double)whole_waves;
}

/* In the module's context. */
static cubinet_status suggest(const struct wish *wish, cubinet_launch_config *config,
                              cubinet_launch_estimate *estimate)
{
    struct candidate best = {0};
    struct cbn_launch launch;
    uint64_t resident = 0;
    cubinet_status status =
        cbn_launch_own_block(wish->kernel) ? take_required_block(wish, &best) : choose_block(wish, &best);
    if (!status) {
        status = make_config(wish, &best, config, &launch);
    }
    if (!status) {
        status = count_resident(wish, &best, &launch, &resident);
    }
    if (!status && (wish->options.flags & CUBINET_LAUNCH_COOPERATIVE)) {
        cbn_shape_shrink(&best.request, resident, best.grid);
        memcpy(config->grid, best.grid, sizeof(best.grid));
    }
    if (!status) {
        describe(&best, resident, estimate);
    }
    return status;
}

/* A side of the block that is the kernel's own; 1 if it has none. */
static uint32_t required_side(const cubinet_kernel *kernel, int axis)
{
    const uint32_t *own = cbn_launch_own_block(kernel);
    return own && own[axis] ? own[axis] : 1;
}

static cubinet_status refuse_programs(const cubinet_kernel *kernel)
{
    const uint32_t *factor = kernel->record.launch.grid_factor;
    if (factor[0] <= 1 && factor[1] <= 1 && factor[2] <= 1) {
        return CUBINET_OK;
    }
    return cbn_error(
        CUBINET_ERROR_INVALID_ARGUMENT,
        "kernel '%s': its grid counts programs, each of several blocks (its launch record has %u × "
        "%u × %u); only the kernel's source says how many an extent needs",
        cbn_kernel_expression(kernel), factor[0] ? factor[0] : 1, factor[1] ? factor[1] : 1,
        factor[2] ? factor[2] : 1);
}

/* Dynamic shared memory, cooperation and cluster that are left out are what the launch record has. */
static cubinet_status fill_wish(struct wish *wish)
{
    const cubinet_kernel *kernel = wish->kernel;
    cubinet_suggest_options *options = &wish->options;
    if (kernel->record.launch.flags & CUBINET_RECORD_COOPERATIVE) {
        options->flags |= CUBINET_LAUNCH_COOPERATIVE;
    }
    if (!cbn_recorded_volume(kernel->record.resources.required_cluster) && !cbn_volume(options->cluster)) {
        memcpy(options->cluster, kernel->record.launch.cluster, sizeof(options->cluster));
    }
    if (options->dynamic_shared_fn) {
        return CUBINET_OK;
    }
    options->dynamic_shared_bytes =
        cbn_launch_shared_bytes(kernel, options->dynamic_shared_bytes, options->flags);
    const cubinet_launch_config config = {.size = sizeof(config),
                                          .dynamic_shared_bytes = options->dynamic_shared_bytes,
                                          .flags = options->flags};
    return cbn_launch_check_shared(kernel, &config);
}

static cubinet_status read_wish(const cubinet_kernel *kernel, const uint64_t extent[3],
                                const cubinet_suggest_options *options, struct wish *wish)
{
    if (!kernel || !extent) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_kernel_suggest_launch: %s is NULL",
                         !kernel ? "kernel" : "extent");
    }
    wish->kernel = kernel;
    wish->multiprocessors = cbn_multiprocessors(kernel->module);
    for (int i = 0; i < 3; i++) {
        wish->extent[i] = extent[i] ? extent[i] : 1;
    }
    static const uint32_t known_flags =
        CUBINET_LAUNCH_COOPERATIVE | CUBINET_LAUNCH_NO_DYNAMIC_SHARED | CUBINET_SUGGEST_NO_TUNING;
    cubinet_status status =
        cbn_sized_read(options, "cubinet_suggest_options", &wish->options, sizeof(wish->options));
    return status ? status
                  : cbn_flags_check("cubinet_suggest_options", wish->options.flags, known_flags,
                                    wish->options.reserved);
}

/* What is checked before a block is chosen. */
static cubinet_status complete_wish(struct wish *wish)
{
    const cubinet_kernel *kernel = wish->kernel;
    if (kernel->module->is_tiles) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "kernel '%s' is a tile kernel: its grid counts its tiles, whose size only the "
                         "kernel's source says, and its block is 1 × 1 × 1",
                         cbn_kernel_expression(kernel));
    }
    wish->options.flags &= ~(uint32_t)CUBINET_SUGGEST_NO_TUNING; /* launches have no such flag */
    cubinet_status status = refuse_programs(kernel);
    if (!status) {
        status = fill_wish(wish);
    }
    if (status) {
        return status;
    }
    const uint32_t *required = kernel->record.resources.required_cluster;
    bool is_required = cbn_recorded_volume(required) > 0;
    bool is_asked = cbn_volume(wish->options.cluster) > 0;
    cubinet_launch_config one_cluster = {.size = sizeof(one_cluster)};
    for (int i = 0; i < 3; i++) {
        uint32_t side = is_asked ? wish->options.cluster[i] : required[i];
        wish->cluster[i] = is_asked || is_required ? (side ? side : 1) : 0;
        one_cluster.cluster[i] = wish->cluster[i];
        one_cluster.grid[i] = wish->cluster[i] ? wish->cluster[i] : 1;
        one_cluster.block[i] = required_side(kernel, i);
    }
    struct cbn_launch launch;
    one_cluster.flags = wish->options.flags;
    return cbn_launch_check_config(kernel, &one_cluster, &launch);
}

/* What to expect of a tuned launch. */
static cubinet_status estimate_tuned(const struct wish *wish, const struct cbn_tuned_choice *tuned,
                                     const cubinet_launch_config *config, cubinet_launch_estimate *estimate)
{
    const cubinet_tuning *tuning = &tuned->record->tuning;
    struct candidate candidate = {.threads = (uint32_t)cbn_volume(config->block)};
    struct cbn_launch launch;
    uint64_t resident = 0;
    memcpy(candidate.grid, config->grid, sizeof(candidate.grid));
    for (int i = 0; i < 3; i++) {
        candidate.request.extent[i] = wish->extent[i];
        candidate.request.per_block[i] =
            tuning->grid_rule == CUBINET_GRID_FLAT ? wish->extent[i] : cbn_tuned_per_block(tuning, i);
    }
    cubinet_status status = cbn_active_blocks(wish->kernel, candidate.threads, config->dynamic_shared_bytes,
                                              &candidate.active_blocks);
    if (!status && !candidate.active_blocks) {
        status = no_block_fits(wish);
    }
    if (!status) {
        status = cbn_launch_check_config(wish->kernel, config, &launch);
    }
    if (!status) {
        status = count_resident(wish, &candidate, &launch, &resident);
    }
    if (!status) {
        describe(&candidate, resident, estimate);
    }
    return status;
}

/* By what was measured. Only what to expect has to be asked of the driver. */
static cubinet_status take_tuned(const struct wish *wish, const struct cbn_tuned_choice *tuned,
                                 cubinet_launch_config *config, cubinet_launch_estimate *estimate)
{
    const struct cubinet_module *module = wish->kernel->module;
    const struct cbn_driver_table *cu = &module->driver->cu;
    bool pushed = false;
    cbn_tuned_config(wish->kernel, tuned, wish->extent, config);
    cubinet_status status = estimate ? cbn_context_enter(cu, module->context.handle, &pushed) : CUBINET_OK;
    if (!status && estimate) {
        status = cbn_context_leave(cu, pushed, estimate_tuned(wish, tuned, config, estimate));
    }
    return status;
}

static cubinet_status suggest_in_context(const struct wish *wish, cubinet_launch_config *config,
                                         cubinet_launch_estimate *estimate)
{
    const struct cubinet_module *module = wish->kernel->module;
    const struct cbn_driver_table *cu = &module->driver->cu;
    bool pushed = false;
    cubinet_status status = cbn_context_enter(cu, module->context.handle, &pushed);
    return status ? status : cbn_context_leave(cu, pushed, suggest(wish, config, estimate));
}

cubinet_status cubinet_kernel_suggest_launch(const cubinet_kernel *kernel, const uint64_t extent[3],
                                             const cubinet_suggest_options *options,
                                             cubinet_launch_config *out_config,
                                             cubinet_launch_estimate *out_estimate)
{
    struct wish wish;
    cubinet_launch_config config;
    cubinet_launch_estimate estimate;
    struct cbn_tuned_choice tuned = {0};
    cubinet_status status = read_wish(kernel, extent, options, &wish);
    if (!status && out_estimate) {
        status = cbn_sized_check(out_estimate, "cubinet_launch_estimate");
    }
    if (!status) {
        status = cbn_tuned_choose_for(kernel, wish.extent, &wish.options, &tuned);
    }
    if (!status && cbn_tuned_is_used(&tuned)) {
        status = take_tuned(&wish, &tuned, &config, out_estimate ? &estimate : NULL);
    } else if (!status) {
        struct cbn_kept_error kept = cbn_error_keep();
        status = complete_wish(&wish);
        status = cbn_error_settle(&kept, status ? status : suggest_in_context(&wish, &config, &estimate));
    }
    if (!status) {
        status = cbn_sized_write(out_config, "cubinet_launch_config", &config, sizeof(config));
    }
    if (!status && out_estimate) {
        status = cbn_sized_write(out_estimate, "cubinet_launch_estimate", &estimate, sizeof(estimate));
    }
    return status;
}
