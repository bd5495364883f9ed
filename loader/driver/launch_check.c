/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/launch_check.h"

#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"
#include "loader/core/support/volume.h"
#include "loader/driver/launch_attributes.h"
#include "loader/driver/launch_fill.h"

enum { DEPENDENCY_FLAGS = CUBINET_LAUNCH_PROGRAMMATIC | CUBINET_LAUNCH_WITHOUT_WAIT };

static uint32_t at_least_one(uint32_t dimension)
{
    return dimension ? dimension : 1;
}

uint64_t cbn_launch_cluster_blocks(const struct cbn_launch *launch)
{
    return cbn_volume(launch->cluster);
}

static cubinet_status check_arg(const cubinet_kernel *kernel, const cubinet_arg *args, size_t arg,
                                size_t arg_count)
{
    const cubinet_kernel_resources *resources = &kernel->record.resources;
    if (resources->param_count != CUBINET_UNKNOWN && args[arg].size != resources->params[arg].size) {
        return cbn_error(CUBINET_ERROR_LAUNCH_ARGUMENTS,
                         "kernel '%s': argument %zu (of %zu, from 0) has %zu bytes; the parameter has %u",
                         cbn_kernel_expression(kernel), arg, arg_count, args[arg].size,
                         resources->params[arg].size);
    }
    if (!args[arg].value) {
        return cbn_error(CUBINET_ERROR_LAUNCH_ARGUMENTS,
                         "kernel '%s': argument %zu (of %zu, from 0) has NULL for its value",
                         cbn_kernel_expression(kernel), arg, arg_count);
    }
    return CUBINET_OK;
}

cubinet_status cbn_launch_check_count(const cubinet_kernel *kernel, const cubinet_arg *args, size_t arg_count)
{
    uint32_t expected = kernel->record.resources.param_count;
    if (arg_count > 0 && !args) {
        return cbn_error(CUBINET_ERROR_LAUNCH_ARGUMENTS, "kernel '%s': arg_count is %zu, but args is NULL",
                         cbn_kernel_expression(kernel), arg_count);
    }
    if (expected != CUBINET_UNKNOWN && arg_count != expected) {
        return cbn_error(CUBINET_ERROR_LAUNCH_ARGUMENTS, "kernel '%s' takes %u arguments; %zu were given",
                         cbn_kernel_expression(kernel), expected, arg_count);
    }
    return CUBINET_OK;
}

cubinet_status cbn_launch_check_args(const cubinet_kernel *kernel, const cubinet_arg *args, size_t arg_count)
{
    cubinet_status status = cbn_launch_check_count(kernel, args, arg_count);
    for (size_t i = 0; i < arg_count && !status; i++) {
        status = check_arg(kernel, args, i, arg_count);
    }
    return status;
}

/* A launch of nothing is a mistake more often than meant: a size that is still 0, a member left out. */
static cubinet_status check_not_empty(const cubinet_kernel *kernel, const cubinet_launch_config *config)
{
    if (config->grid[0] && config->block[0]) {
        return CUBINET_OK;
    }
    return cbn_error(
        CUBINET_ERROR_INVALID_ARGUMENT,
        "kernel '%s': the x dimension of the %s is 0; it must be at least 1 (a launch with nothing to do "
        "has to be left out)",
        cbn_kernel_expression(kernel), config->grid[0] ? "block" : "grid");
}

/* Each side of a grid or block against the device's limit. */
static cubinet_status check_sides(const cubinet_kernel *kernel, const char *what, const uint32_t sides[3],
                                  const uint32_t limits[3])
{
    const struct cbn_device *device = kernel->module->device;
    for (int i = 0; i < 3; i++) {
        if (sides[i] > limits[i]) {
            return cbn_error(CUBINET_ERROR_LIMIT,
                             "kernel '%s': %s dimension %c is %u; device %d (%s) takes up to %u",
                             cbn_kernel_expression(kernel), what, "xyz"[i], sides[i], device -> handle,
                             device -> name, limits[i]);
        }
    }
    return CUBINET_OK;
}

uint64_t cbn_launch_thread_limit(const cubinet_kernel *kernel, const char **out_reason)
{
    const cubinet_kernel_resources *resources = &kernel->record.resources;
    uint64_t limit = kernel->module->device->max_threads_per_block;
    *out_reason = "the device's limit";
    uint64_t bounds = cbn_recorded_volume(resources->max_block);
    if (bounds && bounds < limit) {
        limit = bounds;
        *out_reason = "its launch bounds";
    }
    if (resources->max_threads_per_block < limit) { /* CUBINET_UNKNOWN is more than any limit */
        limit = resources->max_threads_per_block;
        *out_reason = "its launch bounds and registers";
    }
    return limit;
}

/* CUDA Tile C++: "A tile kernel must be launched with a block size of 1." How many threads that are, the
 * driver knows from the code. */
static cubinet_status check_tile_block(const cubinet_kernel *kernel, const uint32_t block[3])
{
    if (cbn_volume(block) == 1) {
        return CUBINET_OK;
    }
    return cbn_error(
        CUBINET_ERROR_LIMIT,
        "kernel '%s' is a tile kernel, whose blocks are launched as 1 × 1 × 1; %u × %u × %u were "
        "asked for",
        cbn_kernel_expression(kernel), block[0], block[1], block[2]);
}

static cubinet_status check_required_block(const cubinet_kernel *kernel, const uint32_t block[3])
{
    const uint32_t *required = kernel->record.resources.required_block;
    for (int i = 0; i < 3 && cbn_recorded_volume(required); i++) {
        if (block[i] != at_least_one(required[i])) {
            return cbn_error(CUBINET_ERROR_LIMIT,
                             "kernel '%s' was compiled for blocks of exactly %u × %u × %u threads; %u × %u × "
                             "%u were asked for",
                             cbn_kernel_expression(kernel), at_least_one(required[0]),
                             at_least_one(required[1]), at_least_one(required[2]), block[0], block[1],
                             block[2]);
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_block(const cubinet_kernel *kernel, const uint32_t block[3])
{
    if (kernel->module->is_tiles) {
        return check_tile_block(kernel, block);
    }
    cubinet_status status = check_required_block(kernel, block);
    if (status) {
        return status;
    }
    const char *reason = NULL;
    uint64_t limit = cbn_launch_thread_limit(kernel, &reason);
    if (cbn_volume(block) > limit) {
        return cbn_error(
            CUBINET_ERROR_LIMIT,
            "kernel '%s' can have at most %llu threads in a block (%s); %u × %u × %u were asked for",
            cbn_kernel_expression(kernel), (unsigned long long)limit, reason, block[0], block[1], block[2]);
    }
    return check_sides(kernel, "block", block, kernel->module->device->max_block);
}

/* Fills in the launch's cluster. */
static cubinet_status choose_cluster(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                     struct cbn_launch *launch)
{
    const uint32_t *required = kernel->record.resources.required_cluster;
    /* The grid of a tile kernel counts tiles, whatever cluster each became. */
    bool is_required = cbn_recorded_volume(required) > 0 && !kernel->module->is_tiles;
    bool is_asked = cbn_volume(config->cluster) > 0;
    for (int i = 0; i < 3; i++) {
        uint32_t own = at_least_one(required[i]);
        uint32_t asked = at_least_one(config->cluster[i]);
        if (is_required && is_asked && own != asked) {
            return cbn_error(
                CUBINET_ERROR_LIMIT,
                "kernel '%s' was compiled for clusters of %u × %u × %u blocks; %u × %u × %u were "
                "asked for",
                cbn_kernel_expression(kernel), at_least_one(required[0]), at_least_one(required[1]),
                at_least_one(required[2]), at_least_one(config->cluster[0]), at_least_one(config->cluster[1]),
                at_least_one(config->cluster[2]));
        }
        launch->cluster[i] = is_required ? own : is_asked ? asked : 0;
    }
    return CUBINET_OK;
}

cubinet_status cbn_launch_need_clusters(const cubinet_kernel *kernel)
{
    const struct cbn_device *device = kernel->module->device;
    if (!device->clusters) {
        return cbn_error(
            CUBINET_ERROR_LIMIT,
            "kernel '%s': device %d (%s, compute capability %d.%d) has no clusters; they need 9.0 "
            "or later",
            cbn_kernel_expression(kernel), device->handle, device->name, device->compute_major,
            device->compute_minor);
    }
    return CUBINET_OK;
}

static cubinet_status check_cluster(const cubinet_kernel *kernel, const struct cbn_launch *launch)
{
    uint64_t blocks = cbn_launch_cluster_blocks(launch);
    cubinet_status status = blocks ? cbn_launch_need_clusters(kernel) : CUBINET_OK;
    if (status || !blocks) {
        return status;
    }
    uint32_t limit = kernel->record.resources.max_cluster_blocks;
    if (limit && limit != CUBINET_UNKNOWN && blocks > limit) {
        return cbn_error(CUBINET_ERROR_LIMIT,
                         "kernel '%s' can have at most %u blocks in a cluster (its launch bounds); %llu were "
                         "asked for",
                         cbn_kernel_expression(kernel), limit, (unsigned long long)blocks);
    }
    for (int i = 0; i < 3; i++) {
        if (launch->grid[i] % launch->cluster[i]) {
            return cbn_error(
                CUBINET_ERROR_LIMIT,
                "kernel '%s': grid dimension %c is %u, which is not a multiple of its cluster's %u",
                cbn_kernel_expression(kernel), "xyz"[i], launch -> grid[i], launch -> cluster[i]);
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_cooperative(const cubinet_kernel *kernel, const struct cbn_launch *launch)
{
    const struct cbn_device *device = kernel->module->device;
    if (launch->cooperative && !device->cooperative) {
        return cbn_error(CUBINET_ERROR_LIMIT, "kernel '%s': device %d (%s) has no cooperative launches",
                         cbn_kernel_expression(kernel), device->handle, device->name);
    }
    return CUBINET_OK;
}

bool cbn_launch_needs_shared(const cubinet_kernel *kernel)
{
    return kernel->uses_dynamic_shared && !kernel->module->is_tiles;
}

uint32_t cbn_launch_none_flag(const cubinet_kernel *kernel)
{
    bool is_said = cbn_launch_needs_shared(kernel) || cbn_launch_shared_bytes(kernel, 0, 0) > 0;
    return is_said ? CUBINET_LAUNCH_NO_DYNAMIC_SHARED : 0;
}

cubinet_status cbn_launch_refuse_shared(const cubinet_kernel *kernel, const char *without)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "kernel '%s' uses dynamic shared memory (extern __shared__), dynamic_shared_bytes is 0, "
                     "and the archive does not record how many bytes it uses: give it as many, or, where "
                     "this launch uses none of it, %s",
                     cbn_kernel_expression(kernel), without);
}

cubinet_status cbn_launch_check_shared(const cubinet_kernel *kernel, const cubinet_launch_config *config)
{
    if (config->dynamic_shared_bytes > 0 || (config->flags & CUBINET_LAUNCH_NO_DYNAMIC_SHARED) ||
        !cbn_launch_needs_shared(kernel)) {
        return CUBINET_OK;
    }
    return cbn_launch_refuse_shared(kernel, "the flag CUBINET_LAUNCH_NO_DYNAMIC_SHARED");
}

cubinet_status cbn_launch_read_config(const cubinet_kernel *kernel, const cubinet_launch_config *given,
                                      cubinet_launch_config *out_known)
{
    static const uint32_t known_flags = CUBINET_LAUNCH_COOPERATIVE | CUBINET_LAUNCH_NO_DYNAMIC_SHARED |
                                        CUBINET_LAUNCH_NO_RECORD | CUBINET_LAUNCH_PROGRAMMATIC |
                                        CUBINET_LAUNCH_WITHOUT_WAIT;
    cubinet_status status = cbn_sized_read(given, "cubinet_launch_config", out_known, sizeof(*out_known));
    if (!status) {
        status = cbn_flags_check("cubinet_launch_config", out_known->flags, known_flags,
                                 out_known->reserved | out_known->reserved2);
    }
    return status ? status : cbn_launch_fill(kernel, out_known);
}

/* The grid as the driver is given it. */
static cubinet_status multiply_grid(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                    uint32_t grid[3])
{
    for (int i = 0; i < 3; i++) {
        uint32_t factor = cbn_launch_grid_factor(kernel, config, i);
        if (__builtin_mul_overflow(at_least_one(config->grid[i]), factor, &grid[i])) {
            return cbn_error(
                CUBINET_ERROR_LIMIT,
                "kernel '%s': grid dimension %c is %u, times the %u of its launch record; that is "
                "more than any device takes",
                cbn_kernel_expression(kernel), "xyz"[i], config -> grid[i], factor);
        }
    }
    return CUBINET_OK;
}

cubinet_status cbn_launch_check_config(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                       struct cbn_launch *out_launch)
{
    struct cbn_launch launch = {
        .dynamic_shared_bytes = config->dynamic_shared_bytes,
        .cooperative = (config->flags & CUBINET_LAUNCH_COOPERATIVE) != 0,
        .programmatic = (config->flags & CUBINET_LAUNCH_PROGRAMMATIC) != 0,
        .stream = config->stream,
        .more = config->attributes,
    };
    cubinet_status status = check_not_empty(kernel, config);
    if (!status) {
        status = multiply_grid(kernel, config, launch.grid);
    }
    for (int i = 0; i < 3; i++) {
        launch.block[i] = at_least_one(config->block[i]);
    }
    if (!status) {
        status = check_sides(kernel, "grid", launch.grid, kernel->module->device->max_grid);
    }
    if (!status) {
        status = check_block(kernel, launch.block);
    }
    if (!status) {
        status = choose_cluster(kernel, config, &launch);
    }
    if (!status) {
        status = check_cluster(kernel, &launch);
    }
    if (!status) {
        status = check_cooperative(kernel, &launch);
    }
    if (!status && (launch.more || (config->flags & DEPENDENCY_FLAGS))) {
        status = cbn_attributes_check(kernel, config, &launch);
    }
    if (!status) {
        *out_launch = launch;
    }
    return status;
}
