/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The result of a call of libcubinet: a stable status, and a message after a failure.
 */
#ifndef CUBINET_STATUS_H
#define CUBINET_STATUS_H

#include <cubinet/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The status of a call. The numbers are part of the ABI: they never change meaning, and new ones are added at
 * the end of their group. Treat an unknown one by its cubinet_status_outcome().
 * @since 0.1
 */
typedef enum cubinet_status {
    CUBINET_OK = 0,

    /* What the caller gave. */
    CUBINET_ERROR_INVALID_ARGUMENT = 1, /**< NULL, out of range, or options with unknown non-zero bytes */
    CUBINET_ERROR_NOT_FOUND = 2,        /**< no module, kernel, global or image of that name */
    CUBINET_ERROR_LAUNCH_ARGUMENTS = 3, /**< kernel arguments differ from the kernel's parameters */
    CUBINET_ERROR_LIMIT = 4,            /**< more than the kernel, the device or a set limit allows */
    CUBINET_ERROR_CANCELLED = 5,        /**< cancelled by one of the program's functions */

    /* The machine around the library. */
    CUBINET_ERROR_OUT_OF_MEMORY = 20, /**< host memory */
    CUBINET_ERROR_IO = 21, /**< a file can't be opened, read or written; errno's text is in the message */

    /* The archive. */
    CUBINET_ERROR_NOT_ARCHIVE = 40,  /**< the bytes are not a Cubinet archive */
    CUBINET_ERROR_DAMAGED = 41,      /**< an archive, but truncated, altered or contradicting itself */
    CUBINET_ERROR_NEWER_FORMAT = 42, /**< an archive that needs a newer reader */
    CUBINET_ERROR_NO_IMAGE = 43,     /**< no image of the module runs on the device */
    CUBINET_ERROR_NOT_TRUSTED =
        44, /**< not signed, altered afterwards, or signed with a key that is not trusted */
    CUBINET_ERROR_OTHER_VERSION = 45, /**< an archive of another version or ABI than the program requires */

    /* The CUDA driver. */
    CUBINET_ERROR_NO_DRIVER = 60,      /**< libcuda can't be opened on this machine */
    CUBINET_ERROR_DRIVER_TOO_OLD = 61, /**< older than CUDA 12.0, or than what a launch asks for */
    CUBINET_ERROR_NO_DEVICE = 62,      /**< the driver works, but there is no such device */
    CUBINET_ERROR_DRIVER = 63, /**< a driver call failed; cubinet_error_driver_result() has its CUresult */
    CUBINET_ERROR_DEVICE_MEMORY = 64, /**< the device is out of memory */
    CUBINET_ERROR_CONTEXT_DEAD = 65,  /**< an earlier fault on the device made its context unusable */

    /* Compiling and linking (the command, and device-side linking). */
    CUBINET_ERROR_TOOLKIT = 80, /**< NVRTC, nvJitLink or CUDA headers can't be found or are too old */
    CUBINET_ERROR_COMPILE = 81, /**< the compiler refused the source or an option */
    CUBINET_ERROR_LINK = 82,    /**< nvJitLink refused */
} cubinet_status;

/** What you can do about a status.
 * @since 0.1 */
typedef enum cubinet_outcome {
    CUBINET_OUTCOME_OK = 0,
    CUBINET_OUTCOME_RETRY = 1,  /**< the same call may succeed later: memory was short, or it was cancelled */
    CUBINET_OUTCOME_FAILED = 2, /**< this call failed and will fail again; every object is unchanged */
    CUBINET_OUTCOME_DEAD =
        3, /**< the device's context is lost: unload, and restart the process to use the device */
} cubinet_outcome;

/** The status's name, such as "CUBINET_ERROR_NO_IMAGE"; "unknown status" for other numbers. Static.
 * @since 0.1 */
CUBINET_API const char *cubinet_status_name(cubinet_status status);

/** The kind of a status; CUBINET_OUTCOME_FAILED for other numbers.
 * @since 0.1 */
CUBINET_API cubinet_outcome cubinet_status_outcome(cubinet_status status);

/**
 * The message of the last call of this library that failed in this thread: what was found, what was needed,
 * what to do. One line unless it lists images or paths that were tried. "" if no call failed yet.
 * Successful calls do not change it. The text belongs to the library and is valid until the next failing call
 * in the same thread.
 * @since 0.1
 */
CUBINET_API const char *cubinet_error_message(void);

/**
 * The CUresult behind the last failure in this thread, or 0 if it did not come from the driver.
 * Its name and number are also in the message.
 * @since 0.1
 */
CUBINET_API int cubinet_error_driver_result(void);

#ifdef __cplusplus
}
#endif

#endif
