/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Tuning records: launch configurations that `cubinet tune` measured on a GPU and filed in the archive, next
 * to the images that they are true of. cubinet_kernel_suggest_launch() and cubinet_module_get_tuned() use
 * them (docs/reference/tuning-records.md).
 */
#ifndef CUBINET_TUNING_H
#define CUBINET_TUNING_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/archive.h>
#include <cubinet/export.h>
#include <cubinet/launch.h>
#include <cubinet/module.h>
#include <cubinet/status.h>
#include <cubinet/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the grid follows from the extent. Of each axis, x, y and z, there is a `grid_value`, 0 counting as 1.
 * The numbers are those of the archive format; a record with another one is not used.
 * @since 0.1 */
typedef enum cubinet_grid_rule {
    /** Blocks: the values, whatever the extent. */
    CUBINET_GRID_FIXED = 1,
    /** A value is how many elements each block handles: extent / value, rounded up, is the number of blocks.
     */
    CUBINET_GRID_PER_BLOCK = 2,
    /** A value is how many elements each thread handles: extent / (value × block), rounded up. */
    CUBINET_GRID_PER_THREAD = 3,
    /** As CUBINET_GRID_PER_BLOCK, with the blocks of all axes in one row along x: tiles that a kernel numbers
     * itself. */
    CUBINET_GRID_FLAT = 4,
} cubinet_grid_rule;

/** Bits of cubinet_tuning::flags. The numbers are those of the archive format.
 * @since 0.1 */
typedef enum cubinet_tuning_flags {
    /** What would have been chosen without tuning stays, because no candidate was faster by more than the
     * noise: the record has that configuration, and its time twice. */
    CUBINET_TUNING_DEFAULT = 1 << 0,
    /** Measured with cold caches; without this bit, with what the launch before left in them. */
    CUBINET_TUNING_COLD = 1 << 1,
    /** The results were compared with a reference. */
    CUBINET_TUNING_CHECKED = 1 << 2,
    /** The launch is cooperative. */
    CUBINET_TUNING_COOPERATIVE = 1 << 3,
} cubinet_tuning_flags;

/**
 * One measured choice: for what was tuned, a GPU and an extent, the configuration to launch. Times are those
 * of one launch.
 * @since 0.1
 */
typedef struct cubinet_tuning {
    size_t size; /**< sizeof(cubinet_tuning) */
    /** What was tuned: the lowered name of a kernel, or a name for a set of interchangeable kernels. */
    const char *what;
    /** The kernels that were candidates, lowered names in ascending byte order: all that were candidates of
     * any record of `what`. At least one. */
    const char *const *instances;
    uint32_t instance_count;
    uint32_t flags;             /**< cubinet_tuning_flags */
    const char *default_kernel; /**< the instance that is chosen without tuning: lowered name */
    const char *kernel;         /**< the instance that was chosen: lowered name */

    const char *gpu;               /**< name of the GPU, as the driver has it */
    uint32_t compute;              /**< its compute capability, 10 × major + minor */
    uint32_t multiprocessor_count; /**< its multiprocessors */
    uint64_t extent[3];            /**< elements: x, y, z; at least 1 each */

    cubinet_target target; /**< of the image that was measured */
    /** XXH3-128 of the image as it is before it is compressed, in canonical (big-endian) form; in an image of
     * parts, of the part that has `kernel`. cubinet_archive_get_code_digest() computes it. */
    uint8_t digest[16];
    /** The image with this target, digest and kernel. CUBINET_UNKNOWN: the module has none, so the record is
     * void. cubinet_module_get_tuned() ignores void records. */
    uint32_t image;
    uint32_t part; /**< of the image, the one that has `kernel`; CUBINET_UNKNOWN: see there */

    uint32_t block[3];             /**< threads: x, y, z; at least 1 each */
    uint32_t cluster[3];           /**< blocks: x, y, z; all 0: what the kernel was compiled for, or none */
    uint32_t grid_rule;            /**< cubinet_grid_rule */
    uint32_t grid_value[3];        /**< see there */
    uint32_t grid_limit[3];        /**< most blocks along x, y, z: the kernel loops; 0: as many as follow */
    uint32_t dynamic_shared_bytes; /**< for each block */
    uint32_t reserved;             /**< 0 */

    /** Nanoseconds, the median of the measurements; 0 is not a time. */
    uint64_t time_ns;
    /** Nanoseconds, rounded up: half the width of the 95 % confidence interval of that median. */
    uint64_t noise_ns;
    uint64_t untuned_time_ns;  /**< as time_ns, of what would have been chosen without tuning; 0: not known */
    uint64_t untuned_noise_ns; /**< as noise_ns, of that */
    uint32_t candidate_count;  /**< configurations that were measured or ruled out, at least 1 */
    uint32_t measurement_count; /**< of the chosen one; 0: not known */

    uint64_t date;             /**< seconds since 1970-01-01 00:00 UTC */
    uint32_t driver_version;   /**< as cuDriverGetVersion(): 1000 × major + 10 × minor */
    uint32_t toolkit;          /**< that made the image, in the same form; 0: not known */
    uint32_t sm_clock_mhz;     /**< multiprocessors' clock while it was measured; 0: not known */
    uint32_t memory_clock_mhz; /**< memory's; 0: not known */
} cubinet_tuning;

/**
 * How many tuning records a module has. They are numbered from 0, in ascending order of `what`, GPU
 * (name, compute capability, multiprocessors), target and extent (x, then y, then z).
 *
 * @param out_count untouched on failure
 * @return CUBINET_ERROR_NOT_FOUND for a module out of range, CUBINET_ERROR_DAMAGED, CUBINET_ERROR_IO
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_tuning_count(const cubinet_archive *archive, uint32_t module,
                                                            uint32_t *out_count);

/**
 * Reads a tuning record. Strings and arrays belong to the archive and live until it is closed.
 *
 * @param tuning from 0 to cubinet_archive_get_tuning_count() - 1
 * @param out_tuning set `size` before the call; untouched on failure
 * @return CUBINET_ERROR_NOT_FOUND if there are not so many; otherwise as cubinet_archive_get_tuning_count()
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_tuning(const cubinet_archive *archive, uint32_t module,
                                                      uint32_t tuning, cubinet_tuning *out_tuning);

/**
 * The digest that tuning records have of an image: XXH3-128 of its raw bytes, or of a part's. Reads the whole
 * image.
 *
 * @param part 0 for an image that does not consist of parts
 * @param out_digest 16 bytes; untouched on failure
 * @return as cubinet_archive_read_part()
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_code_digest(const cubinet_archive *archive, uint32_t module,
                                                           uint32_t image, uint32_t part,
                                                           uint8_t out_digest[16]);

/**
 * The grid of a record's configuration for an extent: what its rule says, no more than its limit, and
 * then a multiple of its cluster, rounded up. Pure.
 *
 * @param extent elements: x, y, z; 0 counts as 1
 * @param out_grid blocks; untouched on failure
 * @return CUBINET_ERROR_LIMIT if the grid does not fit into 32 bits, CUBINET_ERROR_INVALID_ARGUMENT for
 *         another rule
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_tuning_get_grid(const cubinet_tuning *tuning, const uint64_t extent[3],
                                                   uint32_t out_grid[3]);

/** Where a configuration comes from.
 * @since 0.1 */
typedef enum cubinet_tuned_source {
    CUBINET_TUNED_NONE = 0,    /**< no record: what cubinet_kernel_suggest_launch() says without tuning */
    CUBINET_TUNED_EXACT = 1,   /**< a record of this extent */
    CUBINET_TUNED_NEAREST = 2, /**< the record of the nearest extent that was measured */
} cubinet_tuned_source;

/** Why no record was used.
 * @since 0.1 */
typedef enum cubinet_untuned_reason {
    CUBINET_UNTUNED_NOT = 0,       /**< one was */
    CUBINET_UNTUNED_IGNORED = 1,   /**< CUBINET_SUGGEST_NO_TUNING */
    CUBINET_UNTUNED_NO_RECORD = 2, /**< there is none for the loaded image on such a GPU */
    CUBINET_UNTUNED_OUTSIDE = 3,   /**< the extent is not between ones that were measured */
    /** The nearest record says that what is chosen without tuning stays, and is not of this extent. */
    CUBINET_UNTUNED_DEFAULT = 4,
    CUBINET_UNTUNED_OPTIONS = 5, /**< the record does not agree with the options */
    CUBINET_UNTUNED_LIMIT = 6,   /**< the kernel or the device can't be launched so */
} cubinet_untuned_reason;

/** Where a tuned configuration comes from, and what to expect of it.
 * @since 0.1 */
typedef struct cubinet_tuned_info {
    size_t size;     /**< sizeof(cubinet_tuned_info) */
    uint32_t source; /**< cubinet_tuned_source */
    uint32_t reason; /**< cubinet_untuned_reason */
    /** The record's number in the module, also of one that was not used for CUBINET_UNTUNED_DEFAULT,
     * CUBINET_UNTUNED_OPTIONS and CUBINET_UNTUNED_LIMIT; otherwise CUBINET_UNKNOWN, and what follows is 0. */
    uint32_t tuning;
    uint32_t reserved;         /**< 0 */
    uint64_t extent[3];        /**< that was measured */
    uint64_t time_ns;          /**< the record's, which is for that extent, as what follows */
    uint64_t noise_ns;         /**< */
    uint64_t untuned_time_ns;  /**< */
    uint64_t untuned_noise_ns; /**< */
} cubinet_tuned_info;

/**
 * Chooses among interchangeable kernels, and how to launch it, by what was measured on such a GPU: one of
 * the same name, compute capability and number of multiprocessors. Records of another GPU, or of an image
 * other than the loaded one, do not count.
 *
 * A record of this very extent is used, or the nearest if the extent lies between measured ones:
 * docs/reference/tuning-records.md says what is near, and between. Otherwise the kernel is the set's default
 * and the configuration that of cubinet_kernel_suggest_launch() without tuning.
 *
 * The first call for a kernel loads what cubinet_module_find_kernel() loads. Then a call that finds a record
 * takes less than 100 ns, no lock and no memory. You may call it from any thread.
 *
 * @param what a set's name, or a kernel's as cubinet_module_find_kernel() takes it: then it is the only one
 *        to choose
 * @param extent elements: x, y, z; 0 counts as 1
 * @param options NULL for the defaults. A record that does not agree with them is not used
 * @param out_kernel belongs to the module; untouched on failure
 * @param out_config to launch with, its `stream` NULL; set `size` before the call; untouched on failure
 * @param out_info set `size` before the call; untouched on failure; may be NULL
 * @return CUBINET_ERROR_NOT_FOUND if nothing of the module is called so; otherwise as
 *         cubinet_module_find_kernel() and cubinet_kernel_suggest_launch()
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_module_get_tuned(cubinet_module *module, const char *what,
                                                    const uint64_t extent[3],
                                                    const cubinet_suggest_options *options,
                                                    cubinet_kernel **out_kernel,
                                                    cubinet_launch_config *out_config,
                                                    cubinet_tuned_info *out_info);

#ifdef __cplusplus
}
#endif

#endif
