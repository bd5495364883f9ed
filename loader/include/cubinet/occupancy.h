/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Occupancy without a GPU: how many blocks of a kernel a multiprocessor holds, from the archive's records of
 * the kernel and the architecture's limits. The results are those of NVIDIA's cuda_occupancy.h and of the
 * driver. For a loaded kernel, use <cubinet/launch.h>.
 *
 * All functions assume that a kernel opts in to the dynamic shared memory that it needs, as
 * cubinet_kernel_launch() does.
 *
 * Every function here is pure and thread-safe.
 */
#ifndef CUBINET_OCCUPANCY_H
#define CUBINET_OCCUPANCY_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/archive.h>
#include <cubinet/export.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most ways in which any architecture's multiprocessor can divide its memory between L1 cache and shared
 * memory.
 * @since 0.1 */
#define CUBINET_MAX_SHARED_CONFIGURATIONS 16

/**
 * The limits of a device's multiprocessors. Names follow CUdevice_attribute where there is an attribute.
 * Sources: the table "Technical Specifications per Compute Capability" of the CUDA Programming Guide, and the
 * toolkit's cuda_occupancy.h where that table has no values (allocation units, sub-partitions).
 * @since 0.1
 */
typedef struct cubinet_device_limits {
    size_t size; /**< sizeof(cubinet_device_limits) */
    int compute_major;
    int compute_minor;
    uint32_t warp_size;                      /**< threads */
    uint32_t max_threads_per_block;          /**< threads */
    uint32_t max_threads_per_multiprocessor; /**< threads */
    uint32_t max_warps_per_multiprocessor;   /**< warps */
    uint32_t max_blocks_per_multiprocessor;  /**< blocks */
    uint32_t sub_partitions;                 /**< of a multiprocessor, each with its share of the registers */
    uint32_t max_registers_per_multiprocessor;    /**< 32-bit registers */
    uint32_t max_registers_per_block;             /**< 32-bit registers */
    uint32_t max_registers_per_thread;            /**< 32-bit registers */
    uint32_t register_allocation_unit;            /**< 32-bit registers; a warp takes a multiple of it */
    uint32_t max_shared_bytes_per_multiprocessor; /**< bytes */
    uint32_t max_shared_bytes_per_block;          /**< bytes, static and dynamic, without opting in */
    uint32_t max_shared_bytes_per_block_optin;    /**< bytes, static and dynamic, of a kernel that opted in */
    uint32_t reserved_shared_bytes_per_block;     /**< bytes that CUDA itself uses in every block's memory */
    uint32_t shared_allocation_unit;              /**< bytes; a block takes a multiple of it */
    uint32_t shared_configuration_count;          /**< of the next member; 0: shared memory is a fixed size */
    /** The sizes of shared memory, in bytes, that you can set a multiprocessor to, ascending; the rest is L1
     * cache. */
    uint32_t shared_configurations[CUBINET_MAX_SHARED_CONFIGURATIONS];
    /** The shared memory, in bytes, to set a multiprocessor to (the kernel's carve-out): one of the
     * configurations. 0: the driver's default, the largest. A block that needs more gets more. */
    uint32_t preferred_shared_bytes;
    uint32_t max_portable_cluster_blocks; /**< blocks in a cluster on every such device; 0: no clusters */
    uint32_t max_cluster_blocks; /**< blocks in a cluster of a kernel that opted in; devices may have less */
    uint32_t multiprocessor_count; /**< of the device; 0 where an architecture is described, not a device */
    uint32_t max_barriers_per_multiprocessor; /**< named barriers; 0: they do not limit (before 9.0) */
    uint32_t reserved;                        /**< 0 */
} cubinet_device_limits;

/**
 * The limits of a compute capability.
 *
 * @return CUBINET_ERROR_NOT_FOUND if this version does not know it; the message lists those that it knows
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_device_limits_of_compute(int major, int minor,
                                                            cubinet_device_limits *out_limits);

/** Returns the number of known compute capabilities.
 * @since 0.1 */
CUBINET_API size_t cubinet_compute_count(void);

/** Returns one of the known compute capabilities, in ascending order, as 10 × major + minor; 0 for an index
 * out of range.
 * @since 0.1 */
CUBINET_API int cubinet_compute_number(size_t index);

/**
 * Sets `preferred_shared_bytes` as a kernel's carve-out does
 * (CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).
 *
 * @param percent of the largest shared memory, 0 (largest L1 cache) to 100, rounded up to a configuration;
 *        -1 for the driver's default
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_device_limits_prefer_shared(cubinet_device_limits *limits, int percent);

/** What keeps a multiprocessor from holding one more block. Several bits may be set, if these limit at the
 * same number.
 * @since 0.1 */
typedef enum cubinet_occupancy_limiter {
    CUBINET_LIMITER_WARPS = 1 << 0,         /**< warps (threads) of a multiprocessor */
    CUBINET_LIMITER_REGISTERS = 1 << 1,     /**< registers */
    CUBINET_LIMITER_SHARED_MEMORY = 1 << 2, /**< shared memory, static, dynamic and reserved */
    CUBINET_LIMITER_BLOCKS = 1 << 3,        /**< blocks of a multiprocessor */
    CUBINET_LIMITER_BLOCK_SIZE = 1 << 4,    /**< no block runs: it has more threads than the device or the
                                                 kernel (launch bounds, required size) allows */
    CUBINET_LIMITER_OTHER = 1 << 5,    /**< something that only the driver knows; never set without a GPU */
    CUBINET_LIMITER_BARRIERS = 1 << 6, /**< named barriers of a multiprocessor, from 9.0 on */
} cubinet_occupancy_limiter;

/** Bytes that hold any limiters' text with its terminating NUL.
 * @since 0.1 */
#define CUBINET_LIMITER_TEXT_SIZE 80

/** Writes limiters in words, such as "registers, shared memory", into `text` and returns it; "" if `text` is
 * NULL.
 * @since 0.1 */
CUBINET_API const char *cubinet_occupancy_limiter_text(uint32_t limiters,
                                                       char text[CUBINET_LIMITER_TEXT_SIZE]);

/** The occupancy of a kernel with one block size. A limit of UINT32_MAX means that there is none.
 * @since 0.1 */
typedef struct cubinet_occupancy {
    size_t size;                               /**< sizeof(cubinet_occupancy) */
    double occupancy;                          /**< active warps divided by the most possible, 0 to 1 */
    uint32_t active_blocks_per_multiprocessor; /**< blocks; 0: such a launch is impossible */
    uint32_t active_warps_per_multiprocessor;  /**< warps of those blocks */
    uint32_t max_warps_per_multiprocessor;     /**< warps */
    uint32_t limiters;                         /**< cubinet_occupancy_limiter bits */
    uint32_t block_limit_warps;                /**< blocks, if only warps limited them */
    uint32_t block_limit_registers;            /**< blocks, if only registers limited them */
    uint32_t block_limit_shared_memory;        /**< blocks, if only shared memory limited them */
    uint32_t block_limit_blocks;               /**< blocks that a multiprocessor can hold at all */
    uint32_t allocated_registers_per_block;    /**< 32-bit registers, rounded up to allocation units */
    uint32_t
        allocated_shared_bytes_per_block; /**< bytes, with the reserved ones, rounded up in the same way */
    uint32_t block_limit_barriers;        /**< blocks, if only named barriers limited them */
    uint32_t reserved;                    /**< 0 */
} cubinet_occupancy;

/**
 * Computes the occupancy of a kernel: cuOccupancyMaxActiveBlocksPerMultiprocessor() without a GPU.
 *
 * A configuration that can't run is not an error: its active blocks are 0 and the limiters say why.
 *
 * @param resources those that cubinet_archive_get_resources() returns for a cubin; change members to ask
 * "what if". Launch bounds and barriers that are CUBINET_UNKNOWN do not limit
 * @param block_threads threads in a block, at least 1
 * @param dynamic_shared_bytes bytes for each block
 * @return CUBINET_ERROR_INVALID_ARGUMENT, also if `registers` or `static_shared_bytes` is CUBINET_UNKNOWN
 * (PTX and LTO-IR)
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_occupancy_compute(const cubinet_device_limits *limits,
                                                     const cubinet_kernel_resources *resources,
                                                     uint32_t block_threads, uint32_t dynamic_shared_bytes,
                                                     cubinet_occupancy *out_occupancy);

/** Returns the dynamic shared memory, in bytes, of a block with that many threads. Must be pure.
 * @since 0.1 */
typedef uint32_t (*cubinet_dynamic_shared_fn)(uint32_t block_threads, void *user);

/** Which block sizes to choose from. Zero-initialise, then set `size`.
 * @since 0.1 */
typedef struct cubinet_block_size_options {
    size_t size;                   /**< sizeof(cubinet_block_size_options) */
    uint32_t max_block_threads;    /**< threads; 0: the most that the kernel and the device allow */
    uint32_t dynamic_shared_bytes; /**< bytes, for every block size; ignored if dynamic_shared_fn is set */
    cubinet_dynamic_shared_fn dynamic_shared_fn; /**< NULL: dynamic_shared_bytes */
    void *dynamic_shared_user;                   /**< passed to dynamic_shared_fn */
} cubinet_block_size_options;

/**
 * Finds the block size of the highest occupancy, and the largest if several have it:
 * cuOccupancyMaxPotentialBlockSizeWithFlags() without a GPU. If the kernel requires a block size, only that
 * one is tried.
 *
 * @param options NULL for the defaults
 * @param out_block_threads threads; 0 if the kernel can't run at all; untouched on failure
 * @param out_occupancy with that block size (of the smallest block if none can run); may be NULL
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_occupancy_max_block_size(const cubinet_device_limits *limits,
                                                            const cubinet_kernel_resources *resources,
                                                            const cubinet_block_size_options *options,
                                                            uint32_t *out_block_threads,
                                                            cubinet_occupancy *out_occupancy);

/**
 * Computes the most dynamic shared memory that each block may have if a multiprocessor has to hold that many
 * blocks: cuOccupancyAvailableDynamicSMemPerBlock() without a GPU.
 *
 * @param blocks for each multiprocessor, at least 1
 * @param out_bytes bytes for each block; untouched on failure
 * @return CUBINET_ERROR_LIMIT if a multiprocessor can't hold that many blocks even without dynamic shared
 * memory
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_occupancy_available_dynamic_shared(
    const cubinet_device_limits *limits, const cubinet_kernel_resources *resources, uint32_t blocks,
    uint32_t block_threads, uint32_t *out_bytes);

#ifdef __cplusplus
}
#endif

#endif
