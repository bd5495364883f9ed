/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Catalogs: many archives as one, found along a search path. Nothing here needs a GPU or a driver.
 *
 * A module comes from the archive of the highest version that has it; of several such, from the last on the
 * path. So an update, a plug-in or a developer's own build overrides what was installed.
 *
 * An open catalog never changes, so any number of threads may use one at the same time; only
 * cubinet_catalog_close() must be the last call. Only catalogs that are opened later see files that are added
 * to the folders later. Every string and archive that these functions return belongs to the catalog and lives
 * until it is closed. docs/guide/search-path.md describes the path.
 */
#ifndef CUBINET_CATALOG_H
#define CUBINET_CATALOG_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/archive.h>
#include <cubinet/export.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Archives along a search path.
 * @since 0.1 */
typedef struct cubinet_catalog cubinet_catalog;

/** Bits of cubinet_catalog_options::flags.
 * @since 0.1 */
typedef enum cubinet_catalog_flags {
    /** Relative paths start in the folder of the program or shared library that contains `address`. An empty
       path is that file itself, with an archive inside, as for cubinet_archive_open_near(). Without this
       flag, relative paths start in the working folder, and empty ones are ignored. */
    CUBINET_CATALOG_NEAR = 1 << 0,
    CUBINET_CATALOG_NO_ENVIRONMENT = 1 << 1, /**< CUBINET_ARCHIVE_PATH is not read */
} cubinet_catalog_flags;

/** How to open a catalog. Zero-initialise, then set `size`.
 * @since 0.1 */
typedef struct cubinet_catalog_options {
    size_t size; /**< sizeof(cubinet_catalog_options) */
    /** How to open every archive; NULL for the defaults. Read only during the call. An archive is left out if
     * no key that is trusted here signed it, if it has another version or ABI tag than these options require,
     * or if it can't be read: cubinet_catalog_get_entry() says why */
    const cubinet_archive_options *archive;
    const void *address; /**< for CUBINET_CATALOG_NEAR: a function or static variable; NULL: the program's */
    uint32_t flags;      /**< cubinet_catalog_flags */
    uint32_t reserved;   /**< 0 */
} cubinet_catalog_options;

/**
 * Opens the archives along a search path. A folder stands for each file in it whose name ends in ".cubinet"
 * and does not start with '.', in the byte order of their names. Folders inside it are not searched.
 *
 * The paths in the environment variable CUBINET_ARCHIVE_PATH come after `paths`, so they override these.
 * Relative ones start in the working folder. The variable is ignored in programs that run with raised
 * privileges.
 *
 * This maps each archive and checks its index, once; docs/internals/benchmarks.md says how long that takes.
 * With public keys, each archive's file instead stays open until the catalog is closed, and the library uses
 * copies of its bytes.
 *
 * @param paths folders and archives, separated by ':'; NULL: only those of the environment
 * @param options NULL for the defaults
 * @param out_catalog the catalog, which the caller closes; untouched on failure
 * @return CUBINET_OK, even if no archive was found; CUBINET_ERROR_OUT_OF_MEMORY;
 *         CUBINET_ERROR_INVALID_ARGUMENT, CUBINET_ERROR_IO for options or an `address` that can't be used
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_catalog_open(const char *paths, const cubinet_catalog_options *options,
                                                cubinet_catalog **out_catalog);

/**
 * Closes a catalog and its archives. Modules loaded from them stay loaded and usable. NULL is allowed.
 * @since 0.1
 */
CUBINET_API void cubinet_catalog_close(cubinet_catalog *catalog);

/**
 * Finds the module of that name that no other overrides.
 *
 * To load it, use `*out_archive` and the same name. A module that is linked when it is loaded is linked with
 * others of the same archive.
 *
 * @param out_archive not to be closed; NULL if it is not wanted
 * @param out_module its number in the archive; NULL if it is not wanted. Untouched on failure, like the
 * archive
 * @return CUBINET_ERROR_NOT_FOUND, with a message that lists every path searched, and what was found there;
 * CUBINET_ERROR_DAMAGED and CUBINET_ERROR_NOT_TRUSTED if an archive's index is damaged or was altered where
 * it would list the module: the call then does not fall back to a module that this one might override
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_catalog_find_module(const cubinet_catalog *catalog, const char *name,
                                                       const cubinet_archive **out_archive,
                                                       uint32_t *out_module);

/** A place of the path, and the archive found there.
 * @since 0.1 */
typedef struct cubinet_catalog_entry {
    size_t size;                    /**< sizeof(cubinet_catalog_entry) */
    const char *path;               /**< of a file, or of a folder in which no archive was found */
    const cubinet_archive *archive; /**< do not close it; NULL: it was left out */
    const char *reason;             /**< the message of `status`; "" if it was not left out */
    cubinet_status status;          /**< why it was left out, as cubinet_archive_open() returned it; for a
                                       folder without archives CUBINET_ERROR_NOT_FOUND */
    uint32_t reserved;              /**< 0 */
} cubinet_catalog_entry;

/** Returns the number of entries; 0 for NULL.
 * @since 0.1 */
CUBINET_API uint32_t cubinet_catalog_get_entry_count(const cubinet_catalog *catalog);

/**
 * Describes an entry. They are numbered from 0 in the order of the path.
 *
 * @return CUBINET_ERROR_NOT_FOUND for a number out of range
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_catalog_get_entry(const cubinet_catalog *catalog, uint32_t entry,
                                                     cubinet_catalog_entry *out_entry);

#ifdef __cplusplus
}
#endif

#endif
