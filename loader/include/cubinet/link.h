/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Linking device code on the user's machine: LTO-IR of archives, and pieces of the program. See
 * docs/guide/linking.md for the rules and an example.
 *
 * Use a link in one thread at a time; any number of links may be in progress. Threads and processes that need
 * the same link at the same time wait for one of them to do it, if they share a cache.
 */
#ifndef CUBINET_LINK_H
#define CUBINET_LINK_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/archive.h>
#include <cubinet/cache.h>
#include <cubinet/cuda_types.h>
#include <cubinet/driver.h>
#include <cubinet/export.h>
#include <cubinet/module.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a piece in memory is.
 * @since 0.1 */
typedef enum cubinet_piece_kind {
    CUBINET_PIECE_ANY = 0,     /**< one of the others: nvJitLink finds out which */
    CUBINET_PIECE_CUBIN = 1,   /**< a cubin, such as nvcc -rdc=true -cubin makes */
    CUBINET_PIECE_PTX = 2,     /**< PTX text, with or without a NUL at its end */
    CUBINET_PIECE_LTOIR = 3,   /**< LTO-IR, as nvrtcGetLTOIR() gives it */
    CUBINET_PIECE_FATBIN = 4,  /**< a fatbin */
    CUBINET_PIECE_OBJECT = 5,  /**< a host object file with relocatable device code in it */
    CUBINET_PIECE_LIBRARY = 6, /**< a static library of such object files */
} cubinet_piece_kind;

/** Precision of arithmetic, if a piece leaves it to the link (LTO-IR does). Bits.
 * @since 0.1 */
typedef enum cubinet_math {
    CUBINET_MATH_FLUSH_DENORMALS = 1 << 0,      /**< -ftz=1 */
    CUBINET_MATH_APPROXIMATE_DIVISION = 1 << 1, /**< -prec-div=0 */
    CUBINET_MATH_APPROXIMATE_SQRT = 1 << 2,     /**< -prec-sqrt=0 */
    CUBINET_MATH_NO_FMA = 1 << 3,               /**< -fma=0: multiplications and additions stay separate */
    CUBINET_MATH_FAST = 7,                      /**< the first three */
} cubinet_math;

/** Bits of cubinet_link_options::flags.
 * @since 0.1 */
typedef enum cubinet_link_flags {
    CUBINET_LINK_NO_OPTIMIZATION = 1 << 0, /**< -O0 instead of -O3 */
    CUBINET_LINK_DEBUG = 1 << 1,           /**< debug information, -g */
    CUBINET_LINK_LINEINFO = 1 << 2,        /**< line tables, -lineinfo */
    CUBINET_LINK_DROP_UNUSED_VARIABLES =
        1 << 3,                     /**< drop variables that no code uses, if all pieces are LTO-IR */
    CUBINET_LINK_NO_CACHE = 1 << 4, /**< do not use the cache */
} cubinet_link_flags;

/** How to link. Zero-initialise, then set `size`. Strings and arrays are copied.
 * @since 0.1 */
typedef struct cubinet_link_options {
    size_t size;            /**< sizeof(cubinet_link_options) */
    uint32_t flags;         /**< cubinet_link_flags */
    uint32_t max_registers; /**< for each thread; 0: no limit of the link's own */
    uint32_t math;          /**< bits of cubinet_math */
    /** 'a' or 'f': pieces in memory use features of the device's architecture (or family), so the code is
     * made for sm_90a (or sm_100f). Archives and PTX record this themselves. 0: none does. */
    int suffix;
    /** Kernels to keep, by name expression or name; the others are dropped if all pieces are LTO-IR. NULL:
     * keep all. */
    const char *const *kernels_used;
    size_t kernels_used_count;
    /** Variables to keep for the host although no code uses them, by name expression or lowered name. Only
     * with CUBINET_LINK_DROP_UNUSED_VARIABLES. */
    const char *const *variables_used;
    size_t variables_used_count;
    /** More options of nvJitLink, passed on unchanged after the others. */
    const char *const *raw_options;
    size_t raw_option_count;
    /** Path of libnvJitLink; NULL: searched for as docs/guide/linking.md describes. */
    const char *nvjitlink;
    cubinet_cache *cache; /**< NULL: the process's own, which the environment describes */
} cubinet_link_options;

/** A link in progress: add pieces, then complete it.
 * @since 0.1 */
typedef struct cubinet_link cubinet_link;

/**
 * Starts a link for a device.
 *
 * @param device a CUdevice
 * @param options NULL for the defaults
 * @param out_link which the caller destroys; untouched on failure
 * @return CUBINET_ERROR_INVALID_ARGUMENT, CUBINET_ERROR_NO_DEVICE, CUBINET_ERROR_OUT_OF_MEMORY
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_link_create(const cubinet_driver *driver, CUdevice device,
                                               const cubinet_link_options *options, cubinet_link **out_link);

/** Ends a link. Modules that it made stay loaded. NULL is allowed.
 * @since 0.1 */
CUBINET_API void cubinet_link_destroy(cubinet_link *link);

/**
 * Adds a module of an archive: the image that links best for the device, which is LTO-IR of the highest
 * architecture, else PTX, else a cubin that was made to be linked. The archive must stay open until the link
 * is completed.
 *
 * @return CUBINET_ERROR_NOT_FOUND (no such module), CUBINET_ERROR_NO_IMAGE (none can be linked for the
 * device; the message lists them all), CUBINET_ERROR_DAMAGED
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_link_add_module(cubinet_link *link, const cubinet_archive *archive,
                                                   const char *name);

/**
 * Names an archive to search for missing definitions. Its modules are added as needed when the link is
 * completed; archives are searched in the order of these calls. Keep the archive open until the link is
 * completed.
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_link_add_archive(cubinet_link *link, const cubinet_archive *archive);

/**
 * Adds a copy of a piece in memory.
 *
 * @param name for messages; NULL: "piece N"
 * @return CUBINET_ERROR_INVALID_ARGUMENT for no bytes or an unknown kind, CUBINET_ERROR_DAMAGED for a
 * CUBINET_PIECE_CUBIN that is not a cubin
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_link_add_data(cubinet_link *link, cubinet_piece_kind kind,
                                                 const void *data, size_t size, const char *name);

/** As cubinet_link_add_data(), from a file, which is read during the call. Also CUBINET_ERROR_IO.
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_link_add_file(cubinet_link *link, cubinet_piece_kind kind,
                                                 const char *path);

/**
 * Links the pieces and loads the result, from the cache if it is there (nvJitLink is then not opened),
 * otherwise with nvJitLink. Symbols and architectures are checked first.
 *
 * The module is like one of cubinet_module_load(), in the same context. Find its kernels and globals by the
 * expressions that archives record and by their lowered names. You may call this again for another module of
 * the same code.
 *
 * @param out_module which the caller unloads; untouched on failure
 * @return CUBINET_ERROR_LINK (a symbol is missing or defined twice, or nvJitLink refuses: the message has its
 * log), CUBINET_ERROR_NO_IMAGE (a piece is for another architecture, or the driver refuses what was linked),
 * CUBINET_ERROR_TOOLKIT (no nvJitLink, or none that is new enough), and those of cubinet_module_load()
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_link_complete(cubinet_link *link, cubinet_module **out_module);

/**
 * Returns the cubin that the link makes, without loading it. Links first if that was not done yet.
 *
 * @param out_data belongs to the link, until it is destroyed or something is added to it; untouched on
 * failure
 * @return as cubinet_link_complete(), except for errors of the driver
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_link_get_cubin(cubinet_link *link, const void **out_data,
                                                  size_t *out_size);

#ifdef __cplusplus
}
#endif

#endif
