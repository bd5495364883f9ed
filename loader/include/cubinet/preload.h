/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Preparing everything before the first launch: loading modules, compiling PTX and linking LTO-IR, several at
 * a time. See docs/guide/linking.md for an example.
 */
#ifndef CUBINET_PRELOAD_H
#define CUBINET_PRELOAD_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/archive.h>
#include <cubinet/cuda_types.h>
#include <cubinet/driver.h>
#include <cubinet/export.h>
#include <cubinet/link.h>
#include <cubinet/module.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to prepare: a module of an archive, all of its modules, or a link. Other members are NULL. An
 * element of an array: its size never changes.
 * @since 0.1 */
typedef struct cubinet_preload_item {
    /** The module's archive, which stays open during the call; NULL for a link. */
    const cubinet_archive *archive;
    /** The module; NULL for every module of the archive that has kernels (those without are there for others
     * to be linked with). Of a link, what to call it; NULL: "link N", by its place in the list, from 1. */
    const char *name;
    /** A link whose pieces have been added. Do not use it during the call. */
    cubinet_link *link;
    uint64_t reserved[3]; /**< 0 */
} cubinet_preload_item;

/** The result for a module or a link. Strings are valid as long as the cubinet_preload, or in a progress
 * function during the call.
 * @since 0.1 */
typedef struct cubinet_preload_result {
    size_t size; /**< sizeof(cubinet_preload_result) */
    const char *name;
    const cubinet_archive *archive; /**< as in the item, perhaps closed by now */
    cubinet_link *link;             /**< as in the item, perhaps destroyed by now */
    const char *message;            /**< of the failure; "" if there is none */
    cubinet_module *module; /**< NULL after a failure, if modules are not kept, once it was taken, and in a
                                 progress function */
    double milliseconds;    /**< that it took */
    cubinet_status status;
    uint32_t reserved; /**< 0 */
} cubinet_preload_result;

/**
 * Called for each module and link when it is ready or has failed: once for a module in parts.
 *
 * Called only in the thread that called cubinet_preload_run(); other threads continue meanwhile.
 *
 * @param done 1 for the first call, then one more each time
 * @param total how many there are
 * @return anything but 0 to cancel: nothing more is started, not even another part of a module. Compiles and
 * links in progress can't be interrupted and finish first.
 * @since 0.1
 */
typedef int (*cubinet_preload_fn)(void *user, const cubinet_preload_result *result, size_t done,
                                  size_t total);

/** Bits of cubinet_preload_options::flags.
 * @since 0.1 */
typedef enum cubinet_preload_flags {
    /** A failure does not stop the others, and is reported only in its result. A module in parts fails with
       its first part that does. Without this bit, nothing more is started after a failure, and the call
       fails. */
    CUBINET_PRELOAD_KEEP_GOING = 1 << 0,
    /** Unloads modules at once. Links stay in the cache and in the cubinet_link, and compiled PTX in the
       driver's own cache. */
    CUBINET_PRELOAD_NO_MODULES = 1 << 1,
} cubinet_preload_flags;

/** How to preload. Zero-initialise, then set `size`. Read during the call only.
 * @since 0.1 */
typedef struct cubinet_preload_options {
    size_t size; /**< sizeof(cubinet_preload_options) */
    /** For modules: how they are loaded; NULL for the defaults. Links have options of their own. */
    const cubinet_load_options *load;
    /** At most how many modules, links or parts at a time; 0: as many as the process has processors. 1: all
     * in the calling thread. */
    uint32_t threads;
    uint32_t flags;              /**< cubinet_preload_flags */
    cubinet_preload_fn progress; /**< NULL: none */
    void *progress_user;         /**< passed to `progress` */
} cubinet_preload_options;

/** Modules that were loaded together, and the failures.
 * @since 0.1 */
typedef struct cubinet_preload cubinet_preload;

/**
 * Loads modules as cubinet_module_load() does, those in parts with all their parts, and completes links as
 * cubinet_link_complete() does, several at a time, and returns when all are ready. Links and compiles start
 * first, the largest first, so that nothing long is left for the end. Threads that have no module or link
 * left to start load parts of modules that other threads have started, as far as that saves time: parts of
 * PTX, which the driver compiles, but not machine code, which it takes one after the other.
 *
 * Modules live in the context that is current in the calling thread, or else in the device's primary context,
 * as if that thread had loaded them one by one. Its current context is the same after the call as before; no
 * context is left current in any other thread, and no thread is left running.
 *
 * @param device a CUdevice; links must have been created for the same
 * @param items `count` of them; a link may be listed once
 * @param options NULL for the defaults
 * @param out_preload which the caller destroys; untouched on failure
 * @return CUBINET_OK if all are ready, or with CUBINET_PRELOAD_KEEP_GOING whether they failed or not;
 * CUBINET_ERROR_CANCELLED; CUBINET_ERROR_INVALID_ARGUMENT; otherwise the status of the first of `items` that
 * failed: the message says which, why, and how many others failed. After any failure nothing stays loaded,
 * but what was linked is in the cache, so that a second attempt finds it there
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_preload_run(const cubinet_driver *driver, CUdevice device,
                                               const cubinet_preload_item *items, size_t count,
                                               const cubinet_preload_options *options,
                                               cubinet_preload **out_preload);

/**
 * Loads what a record of use names (docs/reference/record.md), before the program asks for it: as
 * cubinet_preload_run() with an item for each module, in the order of their first use, except that of each
 * module only the kernels that were launched are prepared. Kernels that were only looked up are not, nor are
 * modules that the program linked by a cubinet_link.
 *
 * Modules that no archive has any more are skipped, and so are kernels. An entry means exactly the archive
 * that was recorded, or else the first of `archives` that has its module. The GPU on which it was recorded
 * makes no difference. Nothing here counts as a use for a record that is being written.
 *
 * @param archives `archive_count` of them, which stay open during the call
 * @param record path of the record
 * @param options NULL for the defaults
 * @param out_preload which the caller destroys; untouched on failure
 * @return as cubinet_preload_run(); CUBINET_ERROR_IO or CUBINET_ERROR_LIMIT if the record can't be read,
 *         CUBINET_ERROR_DAMAGED if it is not a record, CUBINET_ERROR_NEWER_FORMAT. A program that ships
 * without the record, or with one that does not fit, can continue without it
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_preload_recorded(const cubinet_driver *driver, CUdevice device,
                                                    const cubinet_archive *const *archives,
                                                    size_t archive_count, const char *record,
                                                    const cubinet_preload_options *options,
                                                    cubinet_preload **out_preload);

/** How many results there are: one for each link and module, in the order of the items, and of the modules in
 * their archive.
 * @since 0.1 */
CUBINET_API size_t cubinet_preload_get_result_count(const cubinet_preload *preload);

/** Reads the result for a module or a link.
 *
 * @param out_result set `size` before the call
 * @return CUBINET_ERROR_NOT_FOUND for an index out of range
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_preload_get_result(const cubinet_preload *preload, size_t index,
                                                      cubinet_preload_result *out_result);

/**
 * Finds the first result of that name, with a module or not.
 *
 * @return CUBINET_ERROR_NOT_FOUND, whose message names the nearest
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_preload_find_result(const cubinet_preload *preload, const char *name,
                                                       size_t *out_index);

/**
 * Takes a module out of the preload: the caller unloads it.
 *
 * Not while another thread uses the same cubinet_preload; all other functions may be called from any number
 * of threads at the same time.
 *
 * @param out_module which the caller unloads; untouched on failure
 * @return CUBINET_ERROR_NOT_FOUND if there is none: the message says why
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_preload_take_module(cubinet_preload *preload, size_t index,
                                                       cubinet_module **out_module);

/**
 * Unloads the modules that were not taken out, and frees the results. NULL is allowed.
 *
 * @return as cubinet_module_unload(), of the first that failed; all are gone in any case
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_preload_destroy(cubinet_preload *preload);

#ifdef __cplusplus
}
#endif

#endif
