/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The CUDA driver, opened at run time: a program that links libcubinet starts on a machine without a GPU and
 * gets a status from here instead of a loader failure.
 */
#ifndef CUBINET_DRIVER_H
#define CUBINET_DRIVER_H

#include <stddef.h>

#include <cubinet/cuda_types.h>
#include <cubinet/export.h>
#include <cubinet/log.h>
#include <cubinet/occupancy.h>
#include <cubinet/select.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The driver of this machine. Usable from any number of threads at the same time.
 * @since 0.1 */
typedef struct cubinet_driver cubinet_driver;

/** How to open the driver. Zero-initialise, then set `size`.
 * @since 0.1 */
typedef struct cubinet_driver_options {
    size_t size; /**< sizeof(cubinet_driver_options) */
    /** Path of libcuda; NULL: $CUBINET_LIBCUDA, then libcuda.so.1, then libcuda.so. The variable is ignored
     * in programs that run with raised privileges (secure_getenv). If you give a path, only that is tried. */
    const char *library;
    cubinet_log_fn log; /**< NULL: silence */
    void *log_user;     /**< passed to `log` */
    /** File to add a record of use to: which modules, images and kernels the program used
     * (docs/reference/record.md). NULL: that of $CUBINET_RECORD, if it is set; "": none. "%p" stands for the
     * number of the process. If the file can't be written, the log says so, and the program goes on.
     * @since 0.1 */
    const char *record;
} cubinet_driver_options;

/**
 * Opens the driver and calls cuInit(). May be called any number of times; every cubinet_driver is
 * independent.
 *
 * @param options NULL for the defaults
 * @param out_driver which the caller closes; untouched on failure
 * @return CUBINET_ERROR_NO_DRIVER (the message lists what was tried), CUBINET_ERROR_DRIVER_TOO_OLD (older
 * than CUDA 12.0), CUBINET_ERROR_NO_DEVICE, CUBINET_ERROR_DRIVER, CUBINET_ERROR_OUT_OF_MEMORY
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_driver_open(const cubinet_driver_options *options,
                                               cubinet_driver **out_driver);

/** Closes the driver. Every module loaded with it must have been unloaded. NULL is allowed.
 * @since 0.1 */
CUBINET_API void cubinet_driver_close(cubinet_driver *driver);

/** CUDA release that the driver supports, as cuDriverGetVersion(): 1000 × major + 10 × minor.
 * @since 0.1 */
CUBINET_API int cubinet_driver_get_version(const cubinet_driver *driver);

/** How many devices there are (cuDeviceGetCount(), so after CUDA_VISIBLE_DEVICES).
 * @since 0.1 */
CUBINET_API int cubinet_driver_get_device_count(const cubinet_driver *driver);

/**
 * Describes a device for selection. nvJitLink is searched for as docs/guide/linking.md describes, but not
 * opened.
 *
 * @param device a CUdevice: 0 to cubinet_driver_get_device_count() - 1
 * @param out_profile set `size` before the call
 * @return CUBINET_ERROR_NO_DEVICE, CUBINET_ERROR_DRIVER
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_driver_get_profile(const cubinet_driver *driver, CUdevice device,
                                                      cubinet_device_profile *out_profile);

/**
 * The limits of a device: the driver's numbers, and those of its compute capability for the rest. An unknown
 * compute capability gets the allocation units of the one before it.
 *
 * @param device a CUdevice
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_driver_get_limits(const cubinet_driver *driver, CUdevice device,
                                                     cubinet_device_limits *out_limits);

/**
 * The address of any driver function, for calls that Cubinet does not make and for programs that do not link
 * libcuda. The name is the one in <cuda.h>, such as "cuMemAlloc"; the function has the signature that
 * CUDA 12.0 gave it (cuGetProcAddress() with version 12000), or that of its first release if it is newer.
 *
 * @param out_function untouched on failure; valid until cubinet_driver_close()
 * @return CUBINET_ERROR_NOT_FOUND if this driver has no such function
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_driver_get_proc_address(const cubinet_driver *driver, const char *name,
                                                           void **out_function);

#ifdef __cplusplus
}
#endif

#endif
