/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Launch records: what an archive says about how a kernel is launched. `cubinet compile` records that a
 * kernel takes dynamic shared memory; `cubinet pack --launch`, and the readers of what other systems leave,
 * record the rest. cubinet_kernel_launch() takes from the record what its caller leaves out.
 */
#ifndef CUBINET_LAUNCH_RECORD_H
#define CUBINET_LAUNCH_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/archive.h>
#include <cubinet/export.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The value of a hidden parameter: one that the compiler added, or that only the kernel's own system knows
 * of. The numbers are those of the archive format; newer archives may have others.
 * @since 0.1 */
typedef enum cubinet_hidden_kind {
    /** The address of device memory for only this launch: bytes_per_block for each block of the grid, not
       initialised; NULL if bytes_per_block is 0. */
    CUBINET_HIDDEN_SCRATCH = 1,
    /** The same for a profiler's records. */
    CUBINET_HIDDEN_PROFILE = 2,
    /** launch_bounds_t of Warp 1.19: the extent of the launch in `dimensions` dimensions, the number of
     * threads, and how many of them share an element. cubinet_launch_config says the extent. */
    CUBINET_HIDDEN_LAUNCH_BOUNDS = 3,
} cubinet_hidden_kind;

/** A hidden parameter of a kernel. An element of an array: its size never changes.
 * @since 0.1 */
typedef struct cubinet_hidden_param {
    uint32_t param;           /**< which of the kernel's parameters, from 0; ascending */
    uint32_t kind;            /**< cubinet_hidden_kind */
    uint64_t bytes_per_block; /**< of memory; otherwise 0 */
    uint32_t alignment;       /**< of that memory, in bytes, a power of two; 0: the driver's own */
    uint32_t dimensions;      /**< of CUBINET_HIDDEN_LAUNCH_BOUNDS, 1 to 4; otherwise 0 */
} cubinet_hidden_param;

/** What the kernel's source calls a parameter. An element of an array: its size never changes.
 * @since 0.1 */
typedef struct cubinet_param_name {
    const char *name; /**< "" if not recorded */
    const char *type; /**< as C++ writes it, such as "const float *"; "" if not recorded */
} cubinet_param_name;

/** Bits of cubinet_launch_record::flags.
 * @since 0.1 */
typedef enum cubinet_launch_record_flags {
    /** The kernel takes dynamic shared memory. Without: nothing shows that it does. */
    CUBINET_RECORD_TAKES_DYNAMIC_SHARED = 1 << 0,
    /** It is launched with CUBINET_LAUNCH_COOPERATIVE. */
    CUBINET_RECORD_COOPERATIVE = 1 << 1,
    /** The kernel waits for the one before it: it has griddepcontrol.wait
     * (cudaGridDependencySynchronize()), itself or in a function that it may call. */
    CUBINET_RECORD_WAITS = 1 << 2,
    /** It lets the kernel after it start early: griddepcontrol.launch_dependents
     * (cudaTriggerProgrammaticLaunchCompletion()). */
    CUBINET_RECORD_TRIGGERS = 1 << 3,
} cubinet_launch_record_flags;

/** How a kernel is launched, as far as it is recorded for one image.
 * @since 0.1 */
typedef struct cubinet_launch_record {
    size_t size;                   /**< sizeof(cubinet_launch_record) */
    uint32_t flags;                /**< cubinet_launch_record_flags */
    uint32_t dynamic_shared_bytes; /**< for each block; CUBINET_UNKNOWN: not recorded */
    uint32_t block[3];             /**< threads: x, y, z; 0: not recorded */
    /** What the launch's grid is multiplied by: x, y, z. 0: not recorded, which counts as 1. A kernel of
     * Triton's with num_ctas is launched with as many blocks for each of its programs. */
    uint32_t grid_factor[3];
    uint32_t cluster[3];                   /**< blocks: x, y, z; 0: not recorded */
    uint32_t hidden_count;                 /**< parameters that callers leave out */
    const cubinet_hidden_param *hidden;    /**< hidden_count of them; NULL if there are none */
    const cubinet_param_name *param_names; /**< for each parameter, hidden ones too; NULL: not recorded */
    uint32_t param_name_count;             /**< the kernel's parameters, or 0 */
    uint32_t reserved;                     /**< 0 */
} cubinet_launch_record;

/** Reads how a kernel in one image is launched, as far as that is recorded. If nothing is recorded, every
 * member says so; that is not an error. The arrays and strings belong to the archive and live until it is
 * closed.
 *
 * @return CUBINET_ERROR_NOT_FOUND if the image does not contain the kernel
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_launch_record(const cubinet_archive *archive, uint32_t module,
                                                             uint32_t image, uint32_t kernel,
                                                             cubinet_launch_record *out_record);

#ifdef __cplusplus
}
#endif

#endif
