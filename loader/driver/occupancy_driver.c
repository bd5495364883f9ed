/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's occupancy calls for loaded kernels. */
#include "loader/driver/occupancy_driver.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"
#include "loader/core/support/volume.h"
#include "loader/driver/errors.h"
#include "loader/driver/launch_check.h"
#include "loader/driver/launch_config.h"
#include "loader/driver/launch_fill.h"
#include "loader/driver/multiprocessors.h"
#include "loader/driver/opt_in.h"

#include <cubinet/launch.h>

#include <limits.h>

static const struct cbn_driver_table *driver_of(const cubinet_kernel *kernel)
{
    return &kernel->module->driver->cu;
}

static cubinet_status need(const char *function, const void *kernel, const void *other, const char *what)
{
    if (!kernel || !other) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function,
                         !kernel ? "kernel" : what);
    }
    return CUBINET_OK;
}

cubinet_status cubinet_kernel_prefer_shared(cubinet_kernel *kernel, int percent)
{
    if (!kernel) {
        return need("cubinet_kernel_prefer_shared", kernel, kernel, "kernel");
    }
    if (percent < -1 || percent > 100) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "kernel '%s': a carve-out of %d percent: it is 0 to 100, or -1 for the driver's "
                         "default",
                         cbn_kernel_expression(kernel), percent);
    }
    return cbn_kernel_set_attribute(kernel, CBN_CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, percent,
                                    "PREFERRED_SHARED_MEMORY_CARVEOUT");
}

/* Reads a configuration and compares it with the limits. For occupancy a grid need not be given: one cluster
 * will do. */
static cubinet_status read_config(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                  struct cbn_launch *out_launch)
{
    cubinet_launch_config known;
    cubinet_status status = cbn_launch_read_config(kernel, config, &known);
    if (!status) {
        status = cbn_launch_check_shared(kernel, &known);
    }
    if (status) {
        return status;
    }
    known.attributes = NULL; /* no occupancy depends on one */
    if (!cbn_volume(known.grid)) {
        const uint32_t *own = kernel->record.resources.required_cluster;
        const uint32_t *cluster = cbn_recorded_volume(own) ? own : known.cluster;
        for (int i = 0; i < 3; i++) {
            known.grid[i] = cluster[i] ? cluster[i] : 1;
        }
    }
    return cbn_launch_check_config(kernel, &known, out_launch);
}

static uint32_t block_threads_of(const struct cbn_launch *launch)
{
    return (uint32_t)cbn_volume(launch->block);
}

cubinet_status cbn_active_blocks(const cubinet_kernel *kernel, uint32_t block_threads,
                                 uint32_t dynamic_shared_bytes, uint32_t *out_blocks)
{
    CUfunction function = NULL;
    cubinet_status status = cbn_kernel_function(kernel, &function);
    if (!status) {
        status = cbn_allow_dynamic_shared(kernel, dynamic_shared_bytes);
    }
    if (status) {
        return status;
    }
    int blocks = 0;
    cbn_cu_result result = driver_of(kernel)->cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, function, (int)block_threads, dynamic_shared_bytes, 0);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(driver_of(kernel), result,
                                 "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags of '%s'",
                                 cbn_kernel_expression(kernel));
    }
    *out_blocks = (uint32_t)blocks;
    return CUBINET_OK;
}

/* Active blocks of a launch that was checked, in the module's context. */
static cubinet_status active_blocks_of(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                       uint32_t *out_blocks)
{
    bool pushed = false;
    cubinet_status status = cbn_context_enter(driver_of(kernel), kernel->module->context.handle, &pushed);
    if (status) {
        return status;
    }
    return cbn_context_leave(
        driver_of(kernel), pushed,
        cbn_active_blocks(kernel, block_threads_of(launch), launch->dynamic_shared_bytes, out_blocks));
}

cubinet_status cubinet_kernel_get_max_active_blocks(const cubinet_kernel *kernel,
                                                    const cubinet_launch_config *config, uint32_t *out_blocks)
{
    struct cbn_launch launch;
    uint32_t blocks = 0;
    cubinet_status status = need("cubinet_kernel_get_max_active_blocks", kernel, config, "config");
    if (!status) {
        status = need("cubinet_kernel_get_max_active_blocks", kernel, out_blocks, "out_blocks");
    }
    if (!status) {
        status = read_config(kernel, config, &launch);
    }
    if (!status) {
        status = active_blocks_of(kernel, &launch, &blocks);
    }
    if (!status) {
        *out_blocks = blocks;
    }
    return status;
}

static cubinet_status get_attribute(const cubinet_kernel *kernel, unsigned int attribute, int *out_value)
{
    cbn_cu_result result = driver_of(kernel)->cuKernelGetAttribute(
        out_value, attribute, cbn_kernel_handle(kernel), kernel->module->device->handle);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(driver_of(kernel), result, "cuKernelGetAttribute(%u) of '%s'", attribute,
                                 cbn_kernel_expression(kernel));
    }
    return CUBINET_OK;
}

/* The kernel's record; of code that was compiled when it was loaded, with what the driver says of it. */
static cubinet_status complete_resources(const cubinet_kernel *kernel, cubinet_kernel_resources *resources)
{
    int registers = 0;
    *resources = kernel->record.resources;
    cubinet_status status = cbn_kernel_static_shared(kernel, &resources->static_shared_bytes);
    if (!status && resources->registers == CUBINET_UNKNOWN) {
        status = get_attribute(kernel, CBN_CU_FUNC_NUM_REGS, &registers);
        resources->registers = (uint32_t)registers;
    }
    return status;
}

/* The device's limits with the kernel's carve-out. */
static cubinet_status limits_for(const cubinet_kernel *kernel, cubinet_device_limits *limits)
{
    int percent = -1;
    *limits = kernel->module->device->limits;
    cubinet_status status = get_attribute(kernel, CBN_CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, &percent);
    return status ? status : cubinet_device_limits_prefer_shared(limits, percent);
}

cubinet_status cbn_occupancy_of(const cubinet_kernel *kernel, uint32_t block_threads,
                                uint32_t dynamic_shared_bytes, uint32_t active_blocks,
                                cubinet_occupancy *out_occupancy)
{
    cubinet_device_limits limits;
    cubinet_kernel_resources resources;
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    cubinet_status status = limits_for(kernel, &limits);
    if (!status) {
        status = complete_resources(kernel, &resources);
    }
    if (!status) {
        status =
            cubinet_occupancy_compute(&limits, &resources, block_threads, dynamic_shared_bytes, &occupancy);
    }
    if (status) {
        return status;
    }
    if (occupancy.active_blocks_per_multiprocessor != active_blocks) {
        occupancy.limiters = CUBINET_LIMITER_OTHER;
    }
    uint32_t warps = (block_threads + limits.warp_size - 1) / limits.warp_size;
    occupancy.active_blocks_per_multiprocessor = active_blocks;
    occupancy.active_warps_per_multiprocessor = active_blocks * warps;
    occupancy.occupancy =
        (double)occupancy.active_warps_per_multiprocessor / occupancy.max_warps_per_multiprocessor;
    *out_occupancy = occupancy;
    return CUBINET_OK;
}

cubinet_status cubinet_kernel_get_occupancy(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                            cubinet_occupancy *out_occupancy)
{
    struct cbn_launch launch;
    uint32_t blocks = 0;
    cubinet_occupancy occupancy;
    cubinet_status status = need("cubinet_kernel_get_occupancy", kernel, config, "config");
    if (!status) {
        status = read_config(kernel, config, &launch);
    }
    if (!status) {
        status = active_blocks_of(kernel, &launch, &blocks);
    }
    if (!status) {
        status = cbn_occupancy_of(kernel, block_threads_of(&launch), launch.dynamic_shared_bytes, blocks,
                                  &occupancy);
    }
    return status ? status
                  : cbn_sized_write(out_occupancy, "cubinet_occupancy", &occupancy, sizeof(occupancy));
}

/* The driver's callback has no argument for its caller's data. It calls back in the thread that called it. */
static _Thread_local const cubinet_block_size_options *asked;

static size_t dynamic_shared_of_block(int block_threads)
{
    return asked->dynamic_shared_fn((uint32_t)block_threads, asked->dynamic_shared_user);
}

struct block_size {
    int threads;
    int min_grid_blocks;
};

/* A required block is the only one: the driver would suggest others. */
static cubinet_status ask_required_block(const cubinet_kernel *kernel, uint32_t required,
                                         const cubinet_block_size_options *options,
                                         struct block_size *out_size)
{
    uint32_t bytes = options->dynamic_shared_fn
                         ? options->dynamic_shared_fn(required, options->dynamic_shared_user)
                         : options->dynamic_shared_bytes;
    uint32_t blocks = 0;
    cubinet_status status = cbn_active_blocks(kernel, required, bytes, &blocks);
    if (!status && blocks && !(options->max_block_threads && required > options->max_block_threads)) {
        out_size->threads = (int)required;
        out_size->min_grid_blocks = (int)(blocks * cbn_multiprocessors(kernel->module));
    }
    return status;
}

static cubinet_status ask_block_size(const cubinet_kernel *kernel, const cubinet_block_size_options *options,
                                     struct block_size *out_size)
{
    CUfunction function = NULL;
    cubinet_status status = cbn_kernel_function(kernel, &function);
    if (!status) {
        status = options->dynamic_shared_fn ? cbn_allow_all_dynamic_shared(kernel)
                                            : cbn_allow_dynamic_shared(kernel, options->dynamic_shared_bytes);
    }
    if (status) {
        return status;
    }
    int limit = options->max_block_threads > INT_MAX ? INT_MAX : (int)options->max_block_threads;
    asked = options;
    cbn_cu_result result = driver_of(kernel)->cuOccupancyMaxPotentialBlockSizeWithFlags(
        &out_size->min_grid_blocks, &out_size->threads, function,
        options->dynamic_shared_fn ? dynamic_shared_of_block : NULL, options->dynamic_shared_bytes, limit, 0);
    asked = NULL;
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(driver_of(kernel), result,
                                 "cuOccupancyMaxPotentialBlockSizeWithFlags of '%s'",
                                 cbn_kernel_expression(kernel));
    }
    uint32_t all = kernel->module->device->limits.multiprocessor_count;
    uint32_t own = cbn_multiprocessors(kernel->module);
    if (own < all && out_size->min_grid_blocks > 0) { /* the driver counts all of the device's */
        out_size->min_grid_blocks = (int)((uint32_t)out_size->min_grid_blocks / all * own);
    }
    return CUBINET_OK;
}

static cubinet_status ask_block_size_in_context(const cubinet_kernel *kernel,
                                                const cubinet_block_size_options *options,
                                                struct block_size *out_size)
{
    const uint32_t *own = cbn_launch_own_block(kernel);
    uint64_t required = own ? cbn_recorded_volume(own) : 0;
    bool pushed = false;
    cubinet_status status = cbn_context_enter(driver_of(kernel), kernel->module->context.handle, &pushed);
    if (status) {
        return status;
    }
    status = required ? ask_required_block(kernel, (uint32_t)required, options, out_size)
                      : ask_block_size(kernel, options, out_size);
    return cbn_context_leave(driver_of(kernel), pushed, status);
}

/* Dynamic shared memory that is left out is what the launch record has. */
static cubinet_status fill_options(const cubinet_kernel *kernel, cubinet_block_size_options *options)
{
    if (options->dynamic_shared_fn) {
        return CUBINET_OK;
    }
    options->dynamic_shared_bytes = cbn_launch_shared_bytes(kernel, options->dynamic_shared_bytes, 0);
    return options->dynamic_shared_bytes || !cbn_launch_needs_shared(kernel)
               ? CUBINET_OK
               : cbn_launch_refuse_shared(kernel, "a dynamic_shared_fn that returns 0");
}

cubinet_status cubinet_kernel_get_max_block_size(const cubinet_kernel *kernel,
                                                 const cubinet_block_size_options *options,
                                                 uint32_t *out_block_threads, uint32_t *out_min_grid_blocks)
{
    cubinet_block_size_options known;
    struct block_size size = {0};
    cubinet_status status =
        need("cubinet_kernel_get_max_block_size", kernel, out_block_threads, "out_block_threads");
    if (!status) {
        status = cbn_sized_read(options, "cubinet_block_size_options", &known, sizeof(known));
    }
    if (!status) {
        status = fill_options(kernel, &known);
    }
    if (!status) {
        status = ask_block_size_in_context(kernel, &known, &size);
    }
    if (!status && size.threads <= 0) {
        const struct cbn_device *device = kernel->module->device;
        status = cbn_error(
            CUBINET_ERROR_LIMIT,
            "kernel '%s': a multiprocessor of device %d (%s) can't hold a block of any allowed size",
            cbn_kernel_expression(kernel), device->handle, device->name);
    }
    if (status) {
        return status;
    }
    *out_block_threads = (uint32_t)size.threads;
    if (out_min_grid_blocks) {
        *out_min_grid_blocks = (uint32_t)size.min_grid_blocks;
    }
    return CUBINET_OK;
}

static cubinet_status too_many_blocks(const cubinet_kernel *kernel, uint32_t blocks, uint32_t block_threads,
                                      uint32_t possible)
{
    const struct cbn_device *device = kernel->module->device;
    return cbn_error(CUBINET_ERROR_LIMIT,
                     "kernel '%s': a multiprocessor of device %d (%s) holds %u blocks of %u threads even "
                     "without dynamic shared memory; %u were asked for",
                     cbn_kernel_expression(kernel), device->handle, device->name, possible, block_threads,
                     blocks);
}

/* Some drivers (580.159, CUDA 13.0) forget the memory that is reserved of every block when they divide what a
 * multiprocessor has, as cuda_occupancy.h does before CUDA 13.1: with as much as they say, fewer blocks are
 * active. Their own count of active blocks tells. */
static cubinet_status take_off_reserved(const cubinet_kernel *kernel, uint32_t blocks, uint32_t block_threads,
                                        size_t *bytes)
{
    uint32_t reserved = kernel->module->device->limits.reserved_shared_bytes_per_block;
    uint32_t active = 0;
    cubinet_status status = cbn_active_blocks(kernel, block_threads, (uint32_t)*bytes, &active);
    if (!status && active < blocks) {
        *bytes -= *bytes < reserved ? *bytes : reserved;
    }
    return status;
}

/* In the module's context. */
static cubinet_status ask_available(const cubinet_kernel *kernel, uint32_t blocks, uint32_t block_threads,
                                    size_t *out_bytes)
{
    uint32_t possible = 0;
    CUfunction function = NULL;
    cubinet_status status = cbn_active_blocks(kernel, block_threads, 0, &possible);
    if (!status && possible < blocks) {
        status = too_many_blocks(kernel, blocks, block_threads, possible);
    }
    if (!status) {
        status = cbn_allow_all_dynamic_shared(kernel);
    }
    if (!status) {
        status = cbn_kernel_function(kernel, &function);
    }
    if (status) {
        return status;
    }
    cbn_cu_result result = driver_of(kernel)->cuOccupancyAvailableDynamicSMemPerBlock(
        out_bytes, function, (int)blocks, (int)block_threads);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(driver_of(kernel), result, "cuOccupancyAvailableDynamicSMemPerBlock of '%s'",
                                 cbn_kernel_expression(kernel));
    }
    return take_off_reserved(kernel, blocks, block_threads, out_bytes);
}

cubinet_status cubinet_kernel_get_available_dynamic_shared(const cubinet_kernel *kernel, uint32_t blocks,
                                                           uint32_t block_threads, uint32_t *out_bytes)
{
    cubinet_status status =
        need("cubinet_kernel_get_available_dynamic_shared", kernel, out_bytes, "out_bytes");
    if (status) {
        return status;
    }
    if (!blocks || !block_threads) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "kernel '%s': %u blocks of %u threads",
                         cbn_kernel_expression(kernel), blocks, block_threads);
    }
    const cubinet_launch_config config = {
        .size = sizeof(config), .block = {block_threads, 1, 1}, .flags = CUBINET_LAUNCH_NO_DYNAMIC_SHARED};
    struct cbn_launch launch;
    bool pushed = false;
    size_t bytes = 0;
    /* A required block may have several dimensions, of which this call does not know. */
    if (!cbn_recorded_volume(kernel->record.resources.required_block)) {
        status = read_config(kernel, &config, &launch);
    }
    if (!status) {
        status = cbn_context_enter(driver_of(kernel), kernel->module->context.handle, &pushed);
    }
    if (status) {
        return status;
    }
    status =
        cbn_context_leave(driver_of(kernel), pushed, ask_available(kernel, blocks, block_threads, &bytes));
    if (!status) {
        *out_bytes = (uint32_t)bytes;
    }
    return status;
}

/* One of the driver's two cluster calls. */
typedef cbn_cu_result (*cluster_call)(int *out_number, CUfunction function,
                                      const cbn_cu_launch_config *config);

static cubinet_status call_for_clusters(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                        cluster_call call, const char *name, uint32_t *out_number)
{
    CUfunction function = NULL;
    cubinet_status status = cbn_kernel_function(kernel, &function);
    if (!status) {
        status = cbn_allow_dynamic_shared(kernel, launch->dynamic_shared_bytes);
    }
    if (status) {
        return status;
    }
    int number = 0;
    struct cbn_driver_launch driver_launch;
    cbn_driver_launch_fill(kernel, launch, &driver_launch);
    cbn_cu_result result = call(&number, function, &driver_launch.config);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(driver_of(kernel), result, "%s of '%s'", name,
                                 cbn_kernel_expression(kernel));
    }
    *out_number = (uint32_t)number;
    return CUBINET_OK;
}

cubinet_status cbn_active_clusters(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                   uint32_t *out_clusters)
{
    struct cbn_launch with_cluster = *launch;
    for (int i = 0; i < 3; i++) {
        with_cluster.cluster[i] = launch->cluster[i] ? launch->cluster[i] : 1;
    }
    cubinet_status status = cbn_allow_cluster(kernel, cbn_launch_cluster_blocks(&with_cluster));
    return status ? status
                  : call_for_clusters(kernel, &with_cluster, driver_of(kernel)->cuOccupancyMaxActiveClusters,
                                      "cuOccupancyMaxActiveClusters", out_clusters);
}

/* The driver answers for the largest cluster that the kernel is allowed. Which one a launch has does not
 * count. */
static cubinet_status greatest_cluster(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                       uint32_t *out_blocks)
{
    struct cbn_launch without = *launch;
    for (int i = 0; i < 3; i++) {
        without.cluster[i] = 0;
    }
    cubinet_status status = cbn_allow_cluster(kernel, UINT64_MAX);
    return status ? status
                  : call_for_clusters(kernel, &without, driver_of(kernel)->cuOccupancyMaxPotentialClusterSize,
                                      "cuOccupancyMaxPotentialClusterSize", out_blocks);
}

static cubinet_status
ask_for_clusters(const char *function, const cubinet_kernel *kernel, const cubinet_launch_config *config,
                 cubinet_status (*ask)(const cubinet_kernel *, const struct cbn_launch *, uint32_t *),
                 uint32_t *out_number)
{
    struct cbn_launch launch;
    bool pushed = false;
    uint32_t number = 0;
    cubinet_status status = need(function, kernel, config, "config");
    if (!status) {
        status = need(function, kernel, out_number, "the number's address");
    }
    if (!status) {
        status = cbn_launch_need_clusters(kernel);
    }
    if (!status) {
        status = read_config(kernel, config, &launch);
    }
    if (!status) {
        status = cbn_context_enter(driver_of(kernel), kernel->module->context.handle, &pushed);
    }
    if (status) {
        return status;
    }
    status = cbn_context_leave(driver_of(kernel), pushed, ask(kernel, &launch, &number));
    if (!status) {
        *out_number = number;
    }
    return status;
}

cubinet_status cubinet_kernel_get_max_active_clusters(const cubinet_kernel *kernel,
                                                      const cubinet_launch_config *config,
                                                      uint32_t *out_clusters)
{
    return ask_for_clusters("cubinet_kernel_get_max_active_clusters", kernel, config, cbn_active_clusters,
                            out_clusters);
}

cubinet_status cubinet_kernel_get_max_cluster_size(const cubinet_kernel *kernel,
                                                   const cubinet_launch_config *config, uint32_t *out_blocks)
{
    return ask_for_clusters("cubinet_kernel_get_max_cluster_size", kernel, config, greatest_cluster,
                            out_blocks);
}
