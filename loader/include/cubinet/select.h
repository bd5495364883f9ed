/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Selection: which image of a module a GPU gets, and why not the others. No function here calls a driver, and
 * any number of threads may call them at the same time. All but cubinet_archive_select_image(), which reads
 * an archive, are pure and take no memory. The rules and their sources are in docs/reference/selection.md.
 */
#ifndef CUBINET_SELECT_H
#define CUBINET_SELECT_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/archive.h>
#include <cubinet/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of cubinet_device_profile::flags.
 * @since 0.1 */
typedef enum cubinet_device_flags {
    /** An integrated (Jetson, DRIVE, …) part. See cubinet_compute_is_tegra(). */
    CUBINET_DEVICE_TEGRA = 1 << 0,
} cubinet_device_flags;

/** What selection needs to know of a GPU and the software on its machine. May be made by hand.
 * @since 0.1 */
typedef struct cubinet_device_profile {
    size_t size;       /**< sizeof(cubinet_device_profile) */
    int compute_major; /**< compute capability (COMPUTE_CAPABILITY_MAJOR) */
    int compute_minor; /**< (COMPUTE_CAPABILITY_MINOR) */
    uint32_t
        driver_version; /**< CUDA release of the driver, as cuDriverGetVersion(): 13000; 0: take any image */
    uint32_t nvjitlink_version; /**< as CUDA_VERSION: 13000; 0 if there is none */
    uint32_t flags;             /**< cubinet_device_flags */
    uint32_t reserved;          /**< 0 */
} cubinet_device_profile;

/** 1 if parts of that compute capability are Tegra parts, whose cubins no others run, and which run no
 * others' cubins: 5.3, 6.2, 7.2, 8.7, 11.0 and 10.1, as CUDA 12 called the last.
 * @since 0.1 */
CUBINET_API int cubinet_compute_is_tegra(int major, int minor);

/** Bits of cubinet_policy::flags.
 * @since 0.1 */
typedef enum cubinet_policy_flags {
    CUBINET_POLICY_FORBID_JIT = 1 << 0, /**< no image that must be compiled or linked on this machine: cubins
                                             alone */
    CUBINET_POLICY_FORCE_PTX = 1 << 1,  /**< PTX only, to try how an archive will do on a GPU that is yet to
                                             come */
    CUBINET_POLICY_PREFER_LTOIR = 1 << 2, /**< LTO-IR before cubins */
} cubinet_policy_flags;

/**
 * What a program wants of selection beyond the rules. Zero-initialise, then set `size`.
 *
 * When a module is loaded, the user of the machine has a say too, through environment variables (which are
 * ignored in programs that run with raised privileges): CUBINET_FORBID_JIT=1, CUBINET_FORCE_PTX=1 and
 * CUBINET_PREFER_LTOIR=1 set what the program left unset, and CUBINET_ONLY=sm_80 takes the place of `only`.
 * No switch can undo what a program asked for. cubinet_images_rank() itself looks at no variable.
 * @since 0.1
 */
typedef struct cubinet_policy {
    size_t size;      /**< sizeof(cubinet_policy) */
    const char *only; /**< a target's name, such as "sm_80": that image only; NULL for all */
    /** Images of this kind only; 0 for all that the driver loads, alone or with nvJitLink. OptiX-IR is a
     * candidate only if it is asked for here, and then for cubinet_archive_select_image(): a module does not
     * load it. */
    cubinet_image_kind kind;
    uint32_t flags; /**< cubinet_policy_flags */
} cubinet_policy;

/** How a candidate serves the device, from the most to the least specific.
 * @since 0.1 */
typedef enum cubinet_match {
    CUBINET_MATCH_NONE = 0,
    CUBINET_MATCH_ARCH_SPECIFIC = 1,   /**< cubin of exactly this compute capability with suffix a */
    CUBINET_MATCH_FAMILY_SPECIFIC = 2, /**< cubin with suffix f whose family has this compute capability */
    CUBINET_MATCH_EXACT = 3,           /**< cubin of exactly this compute capability */
    CUBINET_MATCH_SAME_MAJOR = 4,      /**< cubin of the same major and a lower minor */
    CUBINET_MATCH_LINK = 5,            /**< LTO-IR, linked by nvJitLink on this machine */
    CUBINET_MATCH_TILE = 6,            /**< Tile IR, compiled by the driver */
    CUBINET_MATCH_JIT = 7,             /**< PTX, compiled by the driver */
    CUBINET_MATCH_OPTIX = 8,           /**< OptiX-IR, which optixModuleCreate() compiles */
} cubinet_match;

/** Why an image is not a candidate. Bits: every reason that applies is set.
 * @since 0.1 */
typedef enum cubinet_reason {
    CUBINET_REASON_OTHER_MAJOR = 1 << 0, /**< cubin of another major compute capability */
    CUBINET_REASON_NEWER_MINOR = 1 << 1, /**< cubin of a higher minor than the device's */
    CUBINET_REASON_TEGRA = 1 << 2, /**< cubin of the same major for a Tegra part (or 8.8) on another part, or
                                        the other way round */
    CUBINET_REASON_ARCH_SPECIFIC = 1 << 3,   /**< suffix a, and another compute capability */
    CUBINET_REASON_FAMILY_SPECIFIC = 1 << 4, /**< suffix f, and a device outside that family */
    CUBINET_REASON_NEWER_TARGET =
        1 << 5, /**< PTX, LTO-IR or OptiX-IR for a higher compute capability than the device's */
    CUBINET_REASON_DRIVER_TOO_OLD = 1 << 6, /**< cubin from a toolkit (or LTO-IR, and an nvJitLink) of a newer
                                                 CUDA major than the driver's; OptiX-IR from a newer toolkit
                                                 than the driver's CUDA release */
    CUBINET_REASON_PTX_ISA = 1 << 7,        /**< PTX in an ISA version that the driver does not know */
    CUBINET_REASON_UNKNOWN_PTX_ISA = 1 << 8,  /**< PTX in an ISA version that this library does not know */
    CUBINET_REASON_NO_LINKER = 1 << 9,        /**< LTO-IR, and no nvJitLink */
    CUBINET_REASON_LINKER_TOO_OLD = 1 << 10,  /**< LTO-IR, and an older nvJitLink than its floor */
    CUBINET_REASON_LINKER_MAJOR = 1 << 11,    /**< LTO-IR of another CUDA major than nvJitLink's */
    CUBINET_REASON_POLICY_JIT = 1 << 12,      /**< the policy forbids JIT */
    CUBINET_REASON_POLICY_PTX = 1 << 13,      /**< the policy wants PTX only */
    CUBINET_REASON_POLICY_ONLY = 1 << 14,     /**< the policy names another target */
    CUBINET_REASON_UNKNOWN_KIND = 1 << 15,    /**< a kind of image that this library does not know */
    CUBINET_REASON_LINKER_FINISHED = 1 << 16, /**< LTO-IR, and an nvJitLink that cannot target this device */
    CUBINET_REASON_UNLINKED = 1 << 17,        /**< cubin or PTX that needs symbols of other images */
    CUBINET_REASON_TILE_VERSION = 1 << 18,    /**< Tile IR in a version that the driver does not know */
    CUBINET_REASON_TILE_DEVICE = 1 << 19,     /**< Tile IR, and a device for which the driver compiles none */
    CUBINET_REASON_NOT_LOADED = 1 << 20,  /**< OptiX-IR, which no driver loads; `kind` of the policy asks for
                                               it */
    CUBINET_REASON_POLICY_KIND = 1 << 21, /**< the policy wants another kind */
} cubinet_reason;

/** What selection says of one image. An element of an array: its size never changes.
 * @since 0.1 */
typedef struct cubinet_verdict {
    uint32_t image;       /**< its place in the array that was given */
    cubinet_match match;  /**< CUBINET_MATCH_NONE if it is not a candidate */
    uint32_t reasons;     /**< bits of cubinet_reason; 0 for a candidate */
    uint32_t reserved[5]; /**< 0 */
} cubinet_verdict;

/**
 * Ranks a module's images for a device.
 *
 * Nothing here can fail. Members of `device` and `policy` that the library does not know are ignored (loading
 * a module refuses them), and a policy whose `only` is not a target's name leaves no candidate.
 *
 * @param images `count` of them, each `images[0].size` bytes after the one before; in any order: the order
 * has no influence on the ranking. If that size is less than that of a cubinet_image_info, none is a
 * candidate
 * @param policy NULL for the default
 * @param out_verdicts `count` of them: first the candidates, best first, then the others in
 *        cubinet_target_compare()'s order
 * @return how many candidates there are
 * @since 0.1
 */
CUBINET_API size_t cubinet_images_rank(const cubinet_image_info *images, size_t count,
                                       const cubinet_device_profile *device, const cubinet_policy *policy,
                                       cubinet_verdict *out_verdicts);

/**
 * Chooses the image of a module that a device gets, for programs that hand it to somebody else than
 * cubinet_module_load(): OptiX-IR (`kind` of the policy) to optixModuleCreate(), say. Its bytes are read with
 * cubinet_archive_read_image(). The environment has no say.
 *
 * @param module from 0 to cubinet_archive_get_module_count() - 1
 * @param device such as cubinet_driver_get_profile() fills; its `size` is checked, as that of `policy` is
 * @param policy NULL for the default
 * @param out_image number of the best candidate in the module; untouched on failure
 * @return CUBINET_ERROR_NO_IMAGE if there is none, with a line for each image that says why;
 *         CUBINET_ERROR_NOT_FOUND (no such module), CUBINET_ERROR_INVALID_ARGUMENT, CUBINET_ERROR_DAMAGED,
 *         CUBINET_ERROR_OUT_OF_MEMORY
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_select_image(const cubinet_archive *archive, uint32_t module,
                                                        const cubinet_device_profile *device,
                                                        const cubinet_policy *policy, uint32_t *out_image);

/**
 * Writes a verdict as a sentence with the numbers in it, such as "compute_120 PTX needs compute capability
 * 12.0 or later; this device is 9.0".
 *
 * @param text at least `capacity` bytes; cut, but always NUL-terminated, if it is short and `capacity` is not
 * 0
 * @return bytes that the whole sentence has, without the NUL, as snprintf()
 * @since 0.1
 */
CUBINET_API size_t cubinet_verdict_describe(const cubinet_verdict *verdict, const cubinet_image_info *image,
                                            const cubinet_device_profile *device,
                                            const cubinet_policy *policy, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
