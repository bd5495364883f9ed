/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Launches of loaded kernels, the driver's occupancy calls, and suggested configurations.
 * <cubinet/occupancy.h> is for machines without a GPU.
 *
 * All functions check configurations against the limits of the kernel and the device before they call the
 * driver. If a kernel needs more than 48 KiB of dynamic shared memory, or a cluster of more than 8 blocks,
 * they opt it in, so that the answers are those for the launch itself. What a configuration omits is taken
 * from the kernel's launch record. A kernel that takes dynamic shared memory is refused if nobody says how
 * much. No context need be current. You may call every function from any thread.
 */
#ifndef CUBINET_LAUNCH_H
#define CUBINET_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/attributes.h>
#include <cubinet/driver.h>
#include <cubinet/export.h>
#include <cubinet/module.h>
#include <cubinet/occupancy.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One argument of a launch: where its value is, and how many bytes it has.
 * @since 0.1 */
typedef struct cubinet_arg {
    const void *value;
    size_t size; /**< bytes; must be equal to the parameter's */
} cubinet_arg;

/** An argument from a variable of the parameter's type: `CUBINET_ARG(count)`.
 * @since 0.1 */
#define CUBINET_ARG(variable)                                                                                \
    {                                                                                                        \
        &(variable), sizeof(variable)                                                                        \
    }

/** Bits of cubinet_launch_config::flags.
 * @since 0.1 */
typedef enum cubinet_launch_flags {
    CUBINET_LAUNCH_COOPERATIVE =
        1 << 0, /**< all blocks resident together, so that the grid can synchronise */
    /** The launch uses no dynamic shared memory, although its kernel can. Without it `dynamic_shared_bytes`
     * of 0 is refused where the kernel's code shows that it uses some (docs/internals/cubin.md): the launch
     * would fail, and end the context. */
    CUBINET_LAUNCH_NO_DYNAMIC_SHARED = 1 << 1,
    /** Ignores the kernel's launch record: the configuration is complete, the grid is not multiplied, and
       there is an argument for each parameter, including hidden ones. */
    CUBINET_LAUNCH_NO_RECORD = 1 << 2,
    /** Programmatic dependent launch: the kernel may start before the one before it in the stream has ended,
     * once all blocks of that called cudaTriggerProgrammaticLaunchCompletion() or ended
     * (programmatic stream serialization). A kernel that never calls cudaGridDependencySynchronize() would
     * read what the kernel before it has not written yet: the launch of one that is recorded so is refused,
     * CUBINET_ERROR_INVALID_ARGUMENT. */
    CUBINET_LAUNCH_PROGRAMMATIC = 1 << 3,
    /** With CUBINET_LAUNCH_PROGRAMMATIC: also for a kernel that never waits, because it uses nothing that the
     * kernels before it write, and writes nothing that they use. */
    CUBINET_LAUNCH_WITHOUT_WAIT = 1 << 4,
} cubinet_launch_flags;

/** How to launch a kernel. Zero-initialise, then set `size` and the x dimension of grid and block; 0 counts
 * as 1 in y and z. What you omit is taken from the kernel's launch record (<cubinet/launch_record.h>), if it
 * has it: the block, the cluster, dynamic shared memory, and whether the launch is cooperative.
 * @since 0.1 */
typedef struct cubinet_launch_config {
    size_t size; /**< sizeof(cubinet_launch_config) */
    /** Blocks: x, y, z; for a tile kernel, its tiles; for a kernel whose record has a factor for the grid,
     * the number that is multiplied (for a Triton kernel, its programs). Optional with an extent. */
    uint32_t grid[3];
    uint32_t block[3];             /**< threads in a block: x, y, z; of a tile kernel (CUDA Tile) 1, 1, 1 */
    uint32_t dynamic_shared_bytes; /**< for each block; above 48 KiB the kernel is opted in */
    uint32_t
        cluster[3];    /**< blocks in a cluster: x, y, z; all 0: what the kernel was compiled for, or none */
    uint32_t flags;    /**< cubinet_launch_flags */
    uint32_t reserved; /**< 0 */
    CUstream stream;   /**< NULL: the default stream of the module's context */
    /** Elements, for a kernel that takes Warp's launch bounds as a hidden parameter, in as many dimensions as
     * it was compiled for; refused for other kernels. */
    uint32_t extent[4];
    uint32_t threads_per_element; /**< with an extent: threads for each element (for a tiled launch of Warp,
                                     its block); 0 counts as 1 */
    uint32_t reserved2;           /**< 0 */
    const cubinet_launch_attributes *attributes; /**< NULL: none */
} cubinet_launch_config;

/**
 * Launches a kernel, asynchronously, in the module's context (which need not be current).
 *
 * The number and sizes of arguments are checked against the kernel's parameters, and the configuration
 * against the recorded limits, before the driver is called. Tile IR does not record parameters, so make sure
 * that they are right: the driver reads as many values as the kernel has parameters. Values are copied before
 * the call returns. If the archive was opened without public keys, the recorded parameters are compared with
 * the driver's (since CUDA 12.4) when a kernel is first launched, or with the cubin's when it is loaded by an
 * older driver.
 *
 * Omit parameters that the kernel's launch record marks as hidden; they get the recorded values. Memory for
 * them is allocated and freed in the launch's stream (cuMemAllocAsync()) and used only by this launch. If you
 * give arguments for all parameters, they are used unchanged.
 *
 * @param args `arg_count` of them, in the order of the parameters; NULL if there are none
 * @return CUBINET_ERROR_LAUNCH_ARGUMENTS, CUBINET_ERROR_LIMIT, CUBINET_ERROR_INVALID_ARGUMENT (an empty grid
 *         or block; no dynamic shared memory for a kernel that uses some), CUBINET_ERROR_DAMAGED (the code
 * has other parameters than the archive records), CUBINET_ERROR_DRIVER, CUBINET_ERROR_CONTEXT_DEAD,
 * CUBINET_ERROR_DRIVER_TOO_OLD (for an attribute). After a failure nothing was launched, unless the message
 * says that the memory of hidden parameters could not be freed: that comes after the launch
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_launch(const cubinet_kernel *kernel,
                                                 const cubinet_launch_config *config, const cubinet_arg *args,
                                                 size_t arg_count);

/** One of the launches that cubinet_launch_each() makes. An element of an array: its size never changes.
 * @since 0.1 */
typedef struct cubinet_launch_target {
    const cubinet_kernel *kernel; /**< of any module, device or context */
    CUstream stream;              /**< of the kernel's context; NULL: its default stream */
    const cubinet_arg *args;      /**< `arg_count` of them; NULL: those of the call */
    size_t arg_count;             /**< 0 with `args` of NULL */
    uint64_t reserved;            /**< 0 */
} cubinet_launch_target;

/**
 * Makes the same launch with each of several kernels, as cubinet_kernel_launch() does: on every device, or in
 * several streams. All of them are checked before the first is made.
 *
 * @param config for all of them; its `stream` must be NULL, and it can have no events
 * @param args of the targets that have none of their own
 * @param targets `count` of them; the launches are made in this order
 * @param out_launched how many launches succeeded, on failure, too: the target of that number is the one that
 *        failed, and those after it were not launched; may be NULL
 * @return what cubinet_kernel_launch() returns for the first that fails; the message says which
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_launch_each(const cubinet_launch_config *config, const cubinet_arg *args,
                                               size_t arg_count, const cubinet_launch_target *targets,
                                               size_t count, size_t *out_launched);

/**
 * Sets how much of a multiprocessor's memory is shared memory while the kernel runs; the rest is L1 cache.
 * The driver's occupancy follows it, and so do the functions below.
 *
 * @param percent of the largest shared memory, 0 to 100; -1 for the driver's default, which is as much as the
 *        blocks that fit need
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_prefer_shared(cubinet_kernel *kernel, int percent);

/**
 * How many blocks fit on a multiprocessor: cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags().
 *
 * @param config `block` and `dynamic_shared_bytes` count; a grid that is all 0 is taken to suit the cluster
 * @param out_blocks blocks; untouched on failure
 * @return CUBINET_ERROR_LIMIT (the message says which limit), CUBINET_ERROR_DRIVER
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_get_max_active_blocks(const cubinet_kernel *kernel,
                                                                const cubinet_launch_config *config,
                                                                uint32_t *out_blocks);

/**
 * The occupancy: active blocks as cubinet_kernel_get_max_active_blocks(), the rest from the kernel's
 * registers and shared memory and the device's limits. Parameters and errors as there.
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_get_occupancy(const cubinet_kernel *kernel,
                                                        const cubinet_launch_config *config,
                                                        cubinet_occupancy *out_occupancy);

/**
 * The block size of the highest occupancy: cuOccupancyMaxPotentialBlockSizeWithFlags().
 *
 * @param options NULL for the defaults. `dynamic_shared_fn` is called during the call, in this thread, and
 *        must not call this library; one that returns 0 says that the launch will use no dynamic shared
 *        memory
 * @param out_block_threads threads; untouched on failure
 * @param out_min_grid_blocks blocks that fill the device; may be NULL
 * @return CUBINET_ERROR_LIMIT if no block size works
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_get_max_block_size(const cubinet_kernel *kernel,
                                                             const cubinet_block_size_options *options,
                                                             uint32_t *out_block_threads,
                                                             uint32_t *out_min_grid_blocks);

/**
 * The most dynamic shared memory that each block may have if a multiprocessor is to hold `blocks` of them:
 * cuOccupancyAvailableDynamicSMemPerBlock(). The kernel is opted in for all that the device has. If the
 * driver's number is too large by its own count (580.159, CUDA 13.0, forgets what is reserved for each
 * block), the right number is returned.
 *
 * @param blocks for each multiprocessor, at least 1
 * @param block_threads threads in a block
 * @param out_bytes bytes for each block; untouched on failure
 * @return CUBINET_ERROR_LIMIT if not so many blocks are active even without dynamic shared memory
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_get_available_dynamic_shared(const cubinet_kernel *kernel,
                                                                       uint32_t blocks,
                                                                       uint32_t block_threads,
                                                                       uint32_t *out_bytes);

/**
 * How many clusters the device holds at the same time: cuOccupancyMaxActiveClusters().
 *
 * @param config its cluster, or the one the kernel was compiled for; without either, clusters of one block
 * @param out_clusters clusters on the whole device; untouched on failure
 * @return CUBINET_ERROR_LIMIT, also for a device without clusters
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_get_max_active_clusters(const cubinet_kernel *kernel,
                                                                  const cubinet_launch_config *config,
                                                                  uint32_t *out_clusters);

/**
 * The largest cluster that the device can launch: cuOccupancyMaxPotentialClusterSize(). The kernel is opted
 * in for clusters that not every device has.
 *
 * @param config `block` and `dynamic_shared_bytes` count; `cluster` does not
 * @param out_blocks blocks in the cluster; untouched on failure
 * @return CUBINET_ERROR_LIMIT, also for a device without clusters
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_get_max_cluster_size(const cubinet_kernel *kernel,
                                                               const cubinet_launch_config *config,
                                                               uint32_t *out_blocks);

/** A bit of cubinet_suggest_options::flags, which takes CUBINET_LAUNCH_COOPERATIVE and
 * CUBINET_LAUNCH_NO_DYNAMIC_SHARED as well.
 * @since 0.1 */
typedef enum cubinet_suggest_flags {
    CUBINET_SUGGEST_NO_TUNING = 1 << 16, /**< ignores tuning records */
} cubinet_suggest_flags;

/** Constraints of a suggested launch. Zero-initialise, then set `size`.
 * @since 0.1 */
typedef struct cubinet_suggest_options {
    size_t size;                   /**< sizeof(cubinet_suggest_options) */
    uint32_t max_block_threads;    /**< threads; 0: as many as the kernel and the device allow */
    uint32_t dynamic_shared_bytes; /**< bytes, whatever the block size; ignored with the next */
    /** NULL: dynamic_shared_bytes; 0 from it means no dynamic shared memory, also where the launch record has
     * some: the suggested flags say so */
    cubinet_dynamic_shared_fn dynamic_shared_fn;
    void *dynamic_shared_user;    /**< handed to dynamic_shared_fn */
    uint32_t elements_per_thread; /**< elements along x that one thread handles by itself; 0 counts as 1 */
    uint32_t cluster[3];          /**< blocks: x, y, z; all 0: what the kernel was compiled for, or none */
    /** CUBINET_LAUNCH_COOPERATIVE: the whole grid must be resident; CUBINET_LAUNCH_NO_DYNAMIC_SHARED: the
     * launch uses no dynamic shared memory, though its kernel can; or 0 */
    uint32_t flags;
    uint32_t reserved; /**< 0 */
} cubinet_suggest_options;

/** What to expect of a suggested launch.
 * @since 0.1 */
typedef struct cubinet_launch_estimate {
    size_t size; /**< sizeof(cubinet_launch_estimate) */
    /** Rounds in which the grid covers the extent: x, y, z. 1 along every axis: one thread for each
     * element (or each elements_per_thread of them). More, because the grid reached the device's limit or a
     * cooperative grid must be resident: the kernel must loop, each thread going on by the grid's width. */
    uint64_t rounds[3];
    uint64_t blocks;          /**< in the grid */
    uint64_t resident_blocks; /**< that the module's context has room for at the same time */
    double waves;             /**< blocks over resident_blocks */
    double tail_efficiency;   /**< waves over waves rounded up, 0 to 1: 1 when the last wave is a full one */
} cubinet_launch_estimate;

/**
 * Suggests a launch configuration for an extent: what was measured on such a GPU, if the archive has a tuning
 * record of the extent or one nearby (<cubinet/tuning.h>); otherwise a block size with the highest occupancy
 * according to the driver; among several, the one nearest to 256 threads that gives every multiprocessor a
 * block. It respects launch bounds, required blocks and clusters, whole warps and the device's grid limits.
 * For an extent with several dimensions, blocks are at least a warp wide if the extent is. A block in the
 * kernel's launch record is always used, and so is its dynamic shared memory if you omit it; if the record
 * has none and the kernel uses some, the call fails, as the launch would. The multiprocessors that count are
 * those of the module's context: of a green context, or an instance of a divided device (MIG), its own.
 *
 * @param extent elements: x, y, z; 0 counts as 1
 * @param options NULL for the defaults; CUBINET_SUGGEST_NO_TUNING ignores tuning records
 * @param out_config to launch with, its `stream` NULL, or to ask cubinet_kernel_get_occupancy() about; set
 *        `size` before the call; untouched on failure
 * @param out_estimate set `size` before the call; untouched on failure; may be NULL
 * @return CUBINET_ERROR_LIMIT if the kernel can't be launched this way (the message names the limit),
 *         CUBINET_ERROR_DRIVER, CUBINET_ERROR_INVALID_ARGUMENT for a tile kernel, whose grid counts its
 *         tiles, and for one whose grid is multiplied
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_suggest_launch(const cubinet_kernel *kernel,
                                                         const uint64_t extent[3],
                                                         const cubinet_suggest_options *options,
                                                         cubinet_launch_config *out_config,
                                                         cubinet_launch_estimate *out_estimate);

#ifdef __cplusplus
}
#endif

#endif
