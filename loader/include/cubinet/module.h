/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Modules on a device: loading, kernels, globals. Kernels are launched with <cubinet/launch.h>.
 */
#ifndef CUBINET_MODULE_H
#define CUBINET_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/archive.h>
#include <cubinet/cache.h>
#include <cubinet/cuda_types.h>
#include <cubinet/driver.h>
#include <cubinet/export.h>
#include <cubinet/launch_record.h>
#include <cubinet/select.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A module loaded for one device. Usable from any number of threads at the same time; only
 * cubinet_module_unload() must be the last call.
 * @since 0.1
 */
typedef struct cubinet_module cubinet_module;

/** A kernel of a loaded module. Belongs to the module and is valid as long. Usable from any thread.
 * @since 0.1 */
typedef struct cubinet_kernel cubinet_kernel;

/** Bits of cubinet_load_options::flags.
 * @since 0.1 */
typedef enum cubinet_load_flags {
    CUBINET_LOAD_NO_CACHE = 1 << 0, /**< do not use the cache for links */
} cubinet_load_flags;

/** How to load a module. Zero-initialise, then set `size`.
 * @since 0.1 */
typedef struct cubinet_load_options {
    size_t size;                  /**< sizeof(cubinet_load_options) */
    const cubinet_policy *policy; /**< NULL for the default; read during the call only */
    /** Path of the libnvJitLink to link LTO-IR with; NULL: searched for as docs/guide/linking.md describes.
     */
    const char *nvjitlink;
    cubinet_cache *cache; /**< the cache of links; NULL: the process's own, set by the environment */
    uint32_t flags;       /**< cubinet_load_flags */
    uint32_t reserved;    /**< 0 */
} cubinet_load_options;

/**
 * Loads a module for a device: selects an image, checks its digest, passes it to cuLibraryLoadData(), and
 * makes sure that the driver has its kernels (it accepts images that it cannot run). If the driver refuses a
 * candidate, the next is tried and the log says so. For a cubin that certainly runs (see
 * docs/reference/selection.md), only one kernel is looked up. A kernel's code is placed on the device when
 * its function is first requested.
 *
 * Of an image in parts (cubinet_image_info::part_count), a part is loaded when cubinet_module_find_kernel()
 * or cubinet_module_find_global() is first asked for something in it; cubinet_preload_run() loads all at
 * once. Where the driver certainly runs the image, this call loads nothing; otherwise the first part. If the
 * driver refuses a part before any kernel or global was handed out, the module moves on to the next candidate
 * as a whole. After that it keeps its image, so that its kernels never come from different ones, and a part
 * that is refused is an error of the call that needs it. With LTO-IR among the images, and a `cache` or
 * `nvjitlink` in the options, the image is settled by this call.
 *
 * LTO-IR is linked first, with what it needs from other modules of the archive; nvJitLink is opened unless
 * the cache has the result. From then on the result is an ordinary cubin. If nvJitLink is missing or cannot
 * link the image, the next candidate is tried.
 *
 * The module lives in the calling thread's current context if that belongs to this device, otherwise in the
 * device's primary context, which it retains until it is unloaded. The call does not change the thread's
 * current context.
 *
 * Devices of different architectures, and threads, may load from the same archive at the same time.
 *
 * @param device a CUdevice
 * @param options NULL for the defaults
 * @param out_module unload it with cubinet_module_unload(); untouched on failure @return
 * CUBINET_ERROR_NOT_FOUND (no such module), CUBINET_ERROR_NO_IMAGE (the message lists every image with its
 * reason), CUBINET_ERROR_DAMAGED, CUBINET_ERROR_IO, CUBINET_ERROR_NO_DEVICE, CUBINET_ERROR_DRIVER, …
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_module_load(const cubinet_driver *driver, const cubinet_archive *archive,
                                               const char *name, CUdevice device,
                                               const cubinet_load_options *options,
                                               cubinet_module **out_module);

/**
 * Loads a module for several devices, as cubinet_module_load() does for each, except that devices of the same
 * compute capability share the work. For the first of them an image is selected, checked and passed to
 * cuLibraryLoadData(). The others use the same CUlibrary, which belongs to no context, and only make sure
 * that it works on them, too; if the driver refuses it for a device, that device chooses for itself. The
 * library is unloaded with the last of its modules. Of an image in parts this is so for the first part; each
 * other is loaded once for all of them, when a kernel in it is first asked for on any.
 *
 * Either every device gets its module or none does. Unload the modules one by one, in any order and from any
 * thread. Each behaves as if it had been loaded separately.
 *
 * @param devices `count` CUdevices, each at most once; NULL for all devices of the machine, in order
 * @param count how many; with NULL for `devices`, cubinet_driver_get_device_count()
 * @param options for all of them; NULL for the defaults
 * @param out_modules array of `count`, filled in the order of the devices; the caller unloads each. Untouched
 *        on failure
 * @return as cubinet_module_load(); if the failure is about a device, the message says which.
 *         CUBINET_ERROR_INVALID_ARGUMENT also for a device that is listed twice
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_module_load_devices(const cubinet_driver *driver,
                                                       const cubinet_archive *archive, const char *name,
                                                       const CUdevice *devices, size_t count,
                                                       const cubinet_load_options *options,
                                                       cubinet_module **out_modules);

/**
 * Keeps a module loaded until cubinet_module_unload() is called once more: for a graph that has kernels of
 * it, or any other owner that may outlive the rest. NULL is allowed.
 * @since 0.1
 */
CUBINET_API void cubinet_module_retain(cubinet_module *module);

/**
 * Unloads a module with its kernels, CUkernels, CUfunctions and globals, unless it was retained more often
 * than this was called. No launch of its kernels may be pending in any stream, and no graph that has one of
 * them may be launched again. NULL is allowed. The module is gone even if an error is returned.
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_module_unload(cubinet_module *module);

/** The loaded image; of a module in parts the one that it has chosen, which may change until the first kernel
 * or global is handed out. For a module that was linked at load time, the linked cubin (its offset and digest
 * are those of the linked code, not of anything in the archive).
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_module_get_image(const cubinet_module *module,
                                                    cubinet_image_info *out_info);

/** The context that the module lives in.
 * @since 0.1 */
CUBINET_API CUcontext cubinet_module_get_context(const cubinet_module *module);

/** The driver's handle, for calls that Cubinet does not make. Belongs to the module, or to several that were
 * loaded by one cubinet_module_load_devices(). NULL for a module in parts, which has as many as were loaded:
 * cubinet_kernel_get_library() tells a kernel's.
 * @since 0.1 */
CUBINET_API CUlibrary cubinet_module_get_library(const cubinet_module *module);

/**
 * Finds a kernel by its name expression or its lowered name; white space in expressions does not matter.
 * Otherwise by its plain, qualified or demangled name, if exactly one kernel matches, as
 * cubinet_archive_find_kernel() does.
 *
 * In a module in parts, the first call for a kernel of a part loads it, and so takes longer than the next.
 * Any number of threads may ask at the same time: each part is loaded once, and different ones side by side.
 *
 * @param out_kernel belongs to the module; untouched on failure
 * @return CUBINET_ERROR_NOT_FOUND, whose message names the nearest kernel; the driver's error if it lacks a
 * kernel that the archive records; when a part is loaded also what cubinet_module_load() returns
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_module_find_kernel(cubinet_module *module, const char *expression_or_name,
                                                      cubinet_kernel **out_kernel);

/**
 * Finds a global variable by its name expression (with or without '&') or its lowered name, and loads its
 * part as cubinet_module_find_kernel() does.
 *
 * @param out_address device address in the module's context; for a `__managed__` variable also the host's
 * address; may be NULL
 * @param out_bytes its size; may be NULL
 * @return CUBINET_ERROR_NOT_FOUND, CUBINET_ERROR_DRIVER; when a part is loaded also what
 * cubinet_module_load() returns
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_module_find_global(const cubinet_module *module,
                                                      const char *expression_or_name,
                                                      CUdeviceptr *out_address, size_t *out_bytes);

/** The driver's handle of a kernel.
 * @since 0.1 */
CUBINET_API CUkernel cubinet_kernel_get_handle(const cubinet_kernel *kernel);

/** The driver's handle of the library that the kernel is in, for calls that Cubinet does not make. Belongs to
 * the module, as cubinet_module_get_library() says; kernels of a module in parts may be in different ones.
 * @since 0.1 */
CUBINET_API CUlibrary cubinet_kernel_get_library(const cubinet_kernel *kernel);

/** The kernel's function in the module's context, for calls that Cubinet does not make.
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_kernel_get_function(const cubinet_kernel *kernel,
                                                       CUfunction *out_function);

/** Lowered name and expression. The strings live as long as the module.
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_kernel_get_info(const cubinet_kernel *kernel,
                                                   cubinet_kernel_info *out_info);

/** The kernel's resources, as recorded for the loaded image. `params` is valid as long as the module.
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_kernel_get_resources(const cubinet_kernel *kernel,
                                                        cubinet_kernel_resources *out_resources);

/** How the kernel is launched, as recorded for the loaded image, and whether its code shows that it takes
 * dynamic shared memory. The arrays are valid as long as the module.
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_kernel_get_launch_record(const cubinet_kernel *kernel,
                                                            cubinet_launch_record *out_record);

#ifdef __cplusplus
}
#endif

#endif
