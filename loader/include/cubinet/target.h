/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Targets: what an image was compiled for. "sm_90a" is machine code for compute capability 9.0 with its
 * architecture-specific features, "compute_80" is PTX, "lto_75" is LTO-IR, "optix_75" is OptiX-IR. "tile_133"
 * is Tile IR of version 13.3, which is independent of the compute capability.
 *
 * Every function here is pure and thread-safe.
 */
#ifndef CUBINET_TARGET_H
#define CUBINET_TARGET_H

#include <stddef.h>

#include <cubinet/export.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The compiled form of an image. The numbers are those of the archive format.
 * @since 0.1 */
typedef enum cubinet_image_kind {
    CUBINET_IMAGE_CUBIN = 1,   /**< machine code, "sm_" */
    CUBINET_IMAGE_PTX = 2,     /**< PTX, which the driver compiles, "compute_" */
    CUBINET_IMAGE_LTOIR = 3,   /**< LTO-IR, which nvJitLink links, "lto_" */
    CUBINET_IMAGE_TILEIR = 4,  /**< bytecode of CUDA Tile IR, which the driver compiles, "tile_" */
    CUBINET_IMAGE_OPTIXIR = 5, /**< OptiX-IR, which optixModuleCreate() takes and no driver loads, "optix_" */
} cubinet_image_kind;

/** The GPU that an image is for.
 * @since 0.1 */
typedef struct cubinet_target {
    cubinet_image_kind kind;
    int number; /**< compute capability, 10 × major + minor: 75, 90, 121; for Tile IR, the version of the
                   bytecode, in the same form: 133 for 13.3 */
    int suffix; /**< 0, 'a' (architecture-specific) or 'f' (family-specific); for Tile IR, 0 */
} cubinet_target;

/** Bytes that hold any target's name with its terminating NUL.
 * @since 0.1 */
#define CUBINET_TARGET_NAME_SIZE 24

/**
 * Reads a target's name: "sm_", "compute_", "lto_", "tile_" or "optix_", then a number from 10 to 9999 (so
 * compute capability 1.0 to 999.9), then nothing, "a" or "f" ("tile_": nothing).
 *
 * @param out_target untouched on failure
 * @return CUBINET_ERROR_INVALID_ARGUMENT if `name` is not a target's name
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_target_parse(const char *name, cubinet_target *out_target);

/** Writes a target's name into `name` and returns it; "invalid" for a target that has none. If `name` is
 * NULL, "invalid" is returned, too.
 * @since 0.1 */
CUBINET_API const char *cubinet_target_name(cubinet_target target, char name[CUBINET_TARGET_NAME_SIZE]);

/**
 * The order in which an archive lists a module's images: by kind, then number, then suffix (none, a, f).
 * Returns a negative number, zero or a positive one, as for qsort. This is not a preference;
 * cubinet_images_rank() has that.
 * @since 0.1
 */
CUBINET_API int cubinet_target_compare(cubinet_target a, cubinet_target b);

#ifdef __cplusplus
}
#endif

#endif
