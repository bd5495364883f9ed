/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Selection: which image of a module a GPU gets, and why it does not get the others. No function here calls a
 * driver. Any number of threads may call them at the same time. All are pure and allocate no memory, except
 * cubinet_archive_select_image(), which reads an archive. docs/reference/selection.md has the rules and their
 * sources.
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

/** A GPU and the software on its machine, as far as selection needs to know them. You may fill it by hand.
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

/** Returns 1 if parts of that compute capability are Tegra parts: 5.3, 6.2, 7.2, 8.7, 11.0, and 10.1, CUDA
 * 12's number for 11.0. Only Tegra parts run cubins for Tegra parts, and they run no other cubins.
 * @since 0.1 */
CUBINET_API int cubinet_compute_is_tegra(int major, int minor);

/** Bits of cubinet_policy::flags.
 * @since 0.1 */
typedef enum cubinet_policy_flags {
    CUBINET_POLICY_FORBID_JIT =
        1 << 0, /**< only cubins: no image that must be compiled or linked on this machine */
    CUBINET_POLICY_FORCE_PTX = 1 << 1,    /**< only PTX, to try how an archive runs on a future GPU */
    CUBINET_POLICY_PREFER_LTOIR = 1 << 2, /**< LTO-IR before cubins */
} cubinet_policy_flags;

/**
 * A program's wishes for selection, beyond the rules. Zero-initialise, then set `size`.
 *
 * When a program loads a module, the machine's user can add wishes through environment variables, which are
 * ignored in programs that run with raised privileges: CUBINET_FORBID_JIT=1, CUBINET_FORCE_PTX=1 and
 * CUBINET_PREFER_LTOIR=1 set what the program left unset, and CUBINET_ONLY=sm_80 replaces `only`. No variable
 * clears a flag that a program set. cubinet_images_rank() itself reads no variables.
 * @since 0.1
 */
typedef struct cubinet_policy {
    size_t size;      /**< sizeof(cubinet_policy) */
    const char *only; /**< a target's name, such as "sm_80": only that image; NULL for all */
    /** Only images of this kind; 0 for all that the driver loads, with or without nvJitLink. OptiX-IR is a
     * candidate only if you ask for it here, and only for cubinet_archive_select_image(): a module can't load
     * it. */
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

/** Why an image is not a candidate. The bits of all reasons that apply are set.
 * @since 0.1 */
typedef enum cubinet_reason {
    CUBINET_REASON_OTHER_MAJOR = 1 << 0, /**< cubin of another major compute capability */
    CUBINET_REASON_NEWER_MINOR = 1 << 1, /**< cubin of a higher minor than the device's */
    CUBINET_REASON_TEGRA =
        1 << 2, /**< cubin of the same major for a Tegra part (or 8.8) on another part, or vice versa */
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
    CUBINET_REASON_POLICY_PTX = 1 << 13,      /**< the policy wants only PTX */
    CUBINET_REASON_POLICY_ONLY = 1 << 14,     /**< the policy names another target */
    CUBINET_REASON_UNKNOWN_KIND = 1 << 15,    /**< a kind of image that this library does not know */
    CUBINET_REASON_LINKER_FINISHED = 1 << 16, /**< LTO-IR, and an nvJitLink that cannot target this device */
    CUBINET_REASON_UNLINKED = 1 << 17,        /**< cubin or PTX that needs symbols of other images */
    CUBINET_REASON_TILE_VERSION = 1 << 18,    /**< Tile IR in a version that the driver does not know */
    CUBINET_REASON_TILE_DEVICE =
        1 << 19, /**< Tile IR, and a device that the driver does not compile it for */
    CUBINET_REASON_NOT_LOADED =
        1 << 20, /**< OptiX-IR, which no driver loads; set the policy's `kind` to get it */
    CUBINET_REASON_POLICY_KIND = 1 << 21, /**< the policy wants another kind */
} cubinet_reason;

/** Selection's result for one image. Used as an array's element, so its size never changes.
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
 * This call can't fail. It ignores members of `device` and `policy` that the library does not know (loading a
 * module refuses them). A policy whose `only` is not a target's name leaves no candidate.
 *
 * @param images `count` of them, each `images[0].size` bytes after the one before. Their order does not
 * affect the ranking. If that size is less than sizeof(cubinet_image_info), none is a candidate
 * @param policy NULL for the default
 * @param out_verdicts `count` of them: first the candidates, best first, then the others in
 *        cubinet_target_compare()'s order
 * @return how many candidates there are; 0 if `images` or `out_verdicts` is NULL
 * @since 0.1
 */
CUBINET_API size_t cubinet_images_rank(const cubinet_image_info *images, size_t count,
                                       const cubinet_device_profile *device, const cubinet_policy *policy,
                                       cubinet_verdict *out_verdicts);

/**
 * Chooses the image of a module for a device. Use this if you do not load it with cubinet_module_load(): for
 * instance OptiX-IR (the policy's `kind`) for optixModuleCreate(). Read its bytes with
 * cubinet_archive_read_image(). The environment has no influence.
 *
 * @param module from 0 to cubinet_archive_get_module_count() - 1
 * @param device as filled by cubinet_driver_get_profile(); its `size` is checked, and so is that of `policy`
 * @param policy NULL for the default
 * @param out_image number of the best candidate in the module; untouched on failure
 * @return CUBINET_ERROR_NO_IMAGE if there is none; the message has a line for each image that says why;
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
 * @param text at least `capacity` bytes. If that is too short, the text is cut, but NUL-terminated unless
 * `capacity` is 0. NULL: nothing is written
 * @return the length of the whole sentence in bytes, without the NUL, as snprintf() does; 0, and the empty
 * text, if `verdict` or `image` is NULL
 * @since 0.1
 */
CUBINET_API size_t cubinet_verdict_describe(const cubinet_verdict *verdict, const cubinet_image_info *image,
                                            const cubinet_device_profile *device,
                                            const cubinet_policy *policy, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
