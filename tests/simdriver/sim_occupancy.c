/* SPDX-License-Identifier: Apache-2.0 */
/* Occupancy. Blocks are put on a multiprocessor one after another until something is used up: another way to
 * the numbers than the one of loader/core/occupancy/occupancy.c, so that tests can find the two to differ. */
#include "sim.h"

#include <stdint.h>

enum { PORTABLE_CLUSTER = 8, LARGEST_CLUSTER = 16, SUB_PARTITIONS = 4, REGISTER_UNIT = 256 };

/* What a multiprocessor has, or what is taken of it. */
struct room {
    long blocks;
    long warps;
    long warp_places; /* as far as the registers go */
    long shared_bytes;
    long barriers;
};

static long known_or_zero(uint32_t number)
{
    return number == CUBINET_UNKNOWN ? 0 : (long)number;
}

static long rounded_up(long number, long unit)
{
    while (number % unit) {
        number++;
    }
    return number;
}

static long registers_of_warp(const struct CUkern_st *kernel, long warp_size)
{
    return rounded_up(known_or_zero(kernel->contents->resources.registers) * warp_size, REGISTER_UNIT);
}

/* What the carve-out leaves for shared memory. Only whole KiB splits exist; those of the tests are the
 * default, and half. */
static long shared_of_multiprocessor(const struct CUkern_st *kernel, const struct sim_device *device)
{
    static const long splits[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
    long most = device->attributes[CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR];
    long percent = kernel->carve_outs[device->primary.device] - 1; /* kept with 1 added: 0 is the default */
    for (size_t i = 0; percent >= 0 && i < sizeof(splits) / sizeof(splits[0]); i++) {
        if (splits[i] << 10 >= most * percent / 100 && splits[i] << 10 < most) {
            return splits[i] << 10;
        }
    }
    return most;
}

/* As cuda_occupancy.h has it: two named barriers for each block that there is room for on 9.0 and 10.0, one
 * on what is newer, and before 9.0 as many as blocks want. */
static long barriers_of_multiprocessor(const struct sim_device *device)
{
    long blocks = device->attributes[CBN_CU_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR];
    if (device->major < 9) {
        return INT32_MAX;
    }
    return (device->major == 9 || device->major == 10) && device->minor == 0 ? 2 * blocks : blocks;
}

static struct room whole(const struct CUkern_st *kernel, const struct sim_device *device)
{
    const int *has = device->attributes;
    long warp_size = has[CBN_CU_DEVICE_WARP_SIZE];
    long of_warp = registers_of_warp(kernel, warp_size);
    long of_part = has[CBN_CU_DEVICE_MAX_REGISTERS_PER_MULTIPROCESSOR] / SUB_PARTITIONS;
    return (struct room){
        .blocks = has[CBN_CU_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR],
        .warps = has[CBN_CU_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR] / warp_size,
        .warp_places = of_warp ? of_part / of_warp * SUB_PARTITIONS : INT32_MAX,
        .shared_bytes = shared_of_multiprocessor(kernel, device),
        .barriers = barriers_of_multiprocessor(device),
    };
}

static struct room one_block(const struct CUkern_st *kernel, const struct sim_device *device, long threads,
                             long dynamic)
{
    const int *has = device->attributes;
    long warps = rounded_up(threads, has[CBN_CU_DEVICE_WARP_SIZE]) / has[CBN_CU_DEVICE_WARP_SIZE];
    long shared = known_or_zero(kernel->contents->resources.static_shared_bytes) + dynamic +
                  has[CBN_CU_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK];
    return (struct room){
        .blocks = 1,
        .warps = warps,
        .warp_places = warps,
        .shared_bytes = rounded_up(shared, device->major < 8 ? 256 : 128),
        .barriers = known_or_zero(kernel->contents->resources.barriers),
    };
}

static int most_threads_of(const struct CUkern_st *kernel, const struct sim_device *device)
{
    long own = known_or_zero(kernel->contents->resources.max_threads_per_block);
    int most = device->attributes[CBN_CU_DEVICE_MAX_THREADS_PER_BLOCK];
    return own && own < most ? (int)own : most;
}

/* The checks of one block by itself. */
static bool block_is_allowed(const struct CUkern_st *kernel, const struct sim_device *device, long threads,
                             long dynamic)
{
    const int *has = device->attributes;
    const cubinet_kernel_resources *needs = &kernel->contents->resources;
    long most_threads = most_threads_of(kernel, device);
    long warps = rounded_up(threads, has[CBN_CU_DEVICE_WARP_SIZE]) / has[CBN_CU_DEVICE_WARP_SIZE];
    long registers =
        registers_of_warp(kernel, has[CBN_CU_DEVICE_WARP_SIZE]) * rounded_up(warps, SUB_PARTITIONS);
    long fixed = known_or_zero(needs->static_shared_bytes);
    bool is_opted_in = dynamic <= kernel->dynamic_shared[device->primary.device];
    long most_shared = is_opted_in ? has[CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN]
                                   : has[CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK];
    return threads <= most_threads && registers <= has[CBN_CU_DEVICE_MAX_REGISTERS_PER_BLOCK] &&
           fixed + dynamic <= most_shared;
}

static int active_blocks(const struct CUkern_st *kernel, const struct sim_device *device, long threads,
                         long dynamic)
{
    struct room left = whole(kernel, device);
    const struct room block = one_block(kernel, device, threads, dynamic);
    int count = 0;
    if (!block_is_allowed(kernel, device, threads, dynamic)) {
        return 0;
    }
    if (left.shared_bytes < block.shared_bytes) { /* the carve-out gives way to one block */
        left.shared_bytes = block.shared_bytes;
    }
    while (left.blocks >= block.blocks && left.warps >= block.warps &&
           left.warp_places >= block.warp_places && left.shared_bytes >= block.shared_bytes &&
           left.barriers >= block.barriers) {
        left.blocks -= block.blocks;
        left.warps -= block.warps;
        left.warp_places -= block.warp_places;
        left.shared_bytes -= block.shared_bytes;
        left.barriers -= block.barriers;
        count++;
    }
    return count;
}

/* The function's kernel and the device of its context, which must be the current one. */
static cbn_cu_result need_function(CUfunction function, const char *call, const struct CUkern_st **out_kernel,
                                   const struct sim_device **out_device)
{
    struct CUctx_st *context = NULL;
    cbn_cu_result result = sim_need_context(&context);
    if (result != CBN_CU_SUCCESS) {
        return result;
    }
    if (!sim_find_function(function) || function->context != context) {
        return sim_misuse(CBN_CU_INVALID_HANDLE, "%s of a function that is gone, or of another context",
                          call);
    }
    *out_kernel = function->kernel;
    *out_device = &sim.devices[context->device];
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                                       int block_threads,
                                                                       size_t dynamic_shared_bytes,
                                                                       unsigned int flags)
{
    const struct CUkern_st *kernel = NULL;
    const struct sim_device *device = NULL;
    cbn_cu_result result = need_function(function, "an occupancy call", &kernel, &device);
    if (result != CBN_CU_SUCCESS || flags || block_threads < 1) {
        return result != CBN_CU_SUCCESS ? result : CBN_CU_INVALID_VALUE;
    }
    *blocks = active_blocks(kernel, device, block_threads, (long)dynamic_shared_bytes);
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid_blocks, int *block_threads,
                                                            CUfunction function,
                                                            cbn_cu_block_to_shared block_to_shared,
                                                            size_t dynamic_shared_bytes,
                                                            int max_block_threads, unsigned int flags)
{
    const struct CUkern_st *kernel = NULL;
    const struct sim_device *device = NULL;
    cbn_cu_result result = need_function(function, "an occupancy call", &kernel, &device);
    if (result != CBN_CU_SUCCESS || flags) {
        return result != CBN_CU_SUCCESS ? result : CBN_CU_INVALID_VALUE;
    }
    int most = most_threads_of(kernel, device);
    most = max_block_threads && max_block_threads < most ? max_block_threads : most;
    *min_grid_blocks = *block_threads = 0;
    int best = 0;
    for (int threads = 1; threads <= most; threads++) {
        /* Whole warps, and the largest block whether it is whole warps or not. */
        if (threads % device->attributes[CBN_CU_DEVICE_WARP_SIZE] && threads != most) {
            continue;
        }
        size_t dynamic = block_to_shared ? block_to_shared(threads) : dynamic_shared_bytes;
        int blocks = active_blocks(kernel, device, threads, (long)dynamic);
        if (blocks && blocks * threads >= best) {
            best = blocks * threads;
            *block_threads = threads;
            *min_grid_blocks = blocks * device->attributes[CBN_CU_DEVICE_MULTIPROCESSOR_COUNT];
        }
    }
    return CBN_CU_SUCCESS;
}

/* Looked for from the opted-in size downwards, in steps of the allocation unit. As 580.159
 * does (CUDA 13.0), drivers before CUDA 13.1 then forget what is reserved of each of several blocks. */
cbn_cu_result sim_cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_shared_bytes, CUfunction function,
                                                          int blocks, int block_threads)
{
    const struct CUkern_st *kernel = NULL;
    const struct sim_device *device = NULL;
    cbn_cu_result result = need_function(function, "an occupancy call", &kernel, &device);
    if (result != CBN_CU_SUCCESS || blocks < 1 || block_threads < 1) {
        return result != CBN_CU_SUCCESS ? result : CBN_CU_INVALID_VALUE;
    }
    long unit = device->major < 8 ? 256 : 128;
    long reserved = device->attributes[CBN_CU_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK];
    long fixed = known_or_zero(kernel->contents->resources.static_shared_bytes) + reserved;
    long bytes = kernel->dynamic_shared[device->primary.device];
    while (bytes >= 0) {
        if (active_blocks(kernel, device, block_threads, bytes) >= blocks) {
            long most = kernel->dynamic_shared[device->primary.device];
            bytes += sim.version < 13010 && blocks > 1 ? reserved : 0;
            *dynamic_shared_bytes = (size_t)(bytes < most ? bytes : most);
            return CBN_CU_SUCCESS;
        }
        bytes = (fixed + bytes - 1) / unit * unit - fixed; /* one unit less is allocated */
    }
    return CBN_CU_INVALID_VALUE;
}

/* Multiprocessors come in groups of 16, of which the last may be smaller; a cluster keeps to one group. */
static int clusters_of(const struct sim_device *device, int active, int cluster_blocks)
{
    int count = 0;
    for (int left = device->attributes[CBN_CU_DEVICE_MULTIPROCESSOR_COUNT]; left > 0; left -= 16) {
        count += (left < 16 ? left : 16) * active / cluster_blocks;
    }
    return count;
}

static int largest_cluster(const struct CUkern_st *kernel, const struct sim_device *device)
{
    return kernel->large_clusters[device->primary.device] ? LARGEST_CLUSTER : PORTABLE_CLUSTER;
}

static int config_active(const struct CUkern_st *kernel, const struct sim_device *device,
                         const cbn_cu_launch_config *config)
{
    long threads = (long)config->block_x * config->block_y * config->block_z;
    return active_blocks(kernel, device, threads, (long)config->dynamic_shared_bytes);
}

cbn_cu_result sim_cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction function,
                                                     const cbn_cu_launch_config *config)
{
    const struct CUkern_st *kernel = NULL;
    const struct sim_device *device = NULL;
    cbn_cu_result result = need_function(function, "a cluster call", &kernel, &device);
    if (result != CBN_CU_SUCCESS || !device->attributes[CBN_CU_DEVICE_CLUSTER_LAUNCH]) {
        return result != CBN_CU_SUCCESS ? result : CBN_CU_NOT_SUPPORTED;
    }
    int active = config_active(kernel, device, config);
    *blocks = largest_cluster(kernel, device);
    while (*blocks > 0 && clusters_of(device, active, *blocks) == 0) {
        *blocks /= 2;
    }
    return CBN_CU_SUCCESS;
}

/* The cluster of a launch: the kernel's own, or the attribute's. */
static int cluster_blocks_of(const struct CUkern_st *kernel, const cbn_cu_launch_config *config)
{
    long blocks = 1;
    for (int i = 0; i < 3; i++) {
        long side = known_or_zero(kernel->contents->resources.required_cluster[i]);
        blocks *= side ? side : 1;
    }
    for (unsigned int i = 0; i < config->attribute_count; i++) {
        const cbn_cu_launch_attribute *attribute = &config->attributes[i];
        if (attribute->id == CBN_CU_LAUNCH_CLUSTER_DIMENSION) {
            blocks =
                (long)attribute->value.cluster.x * attribute->value.cluster.y * attribute->value.cluster.z;
        }
    }
    return (int)blocks;
}

cbn_cu_result sim_cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                               const cbn_cu_launch_config *config)
{
    const struct CUkern_st *kernel = NULL;
    const struct sim_device *device = NULL;
    cbn_cu_result result = need_function(function, "a cluster call", &kernel, &device);
    if (result != CBN_CU_SUCCESS || !device->attributes[CBN_CU_DEVICE_CLUSTER_LAUNCH]) {
        return result != CBN_CU_SUCCESS ? result : CBN_CU_NOT_SUPPORTED;
    }
    int cluster_blocks = cluster_blocks_of(kernel, config);
    if (cluster_blocks > largest_cluster(kernel, device)) {
        return CBN_CU_INVALID_CLUSTER_SIZE;
    }
    *clusters = clusters_of(device, config_active(kernel, device, config), cluster_blocks);
    return CBN_CU_SUCCESS;
}
