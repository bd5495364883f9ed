/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The cache of linked code: in memory, in a folder on disk, and in a read-only folder that many users may
 * share. docs/reference/cache.md describes its contents and how they are protected.
 *
 * A cache never causes failures: if its folder is missing, full, read-only or can't be trusted, everything
 * works as it would without a cache.
 */
#ifndef CUBINET_CACHE_H
#define CUBINET_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/export.h>
#include <cubinet/log.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open cache. Any number of threads may use it at the same time; only cubinet_cache_close() must be the
 * last call. Any number of caches, in this process and others, may use one folder.
 * @since 0.1 */
typedef struct cubinet_cache cubinet_cache;

/** Bits of cubinet_cache_options::flags.
 * @since 0.1 */
typedef enum cubinet_cache_flags {
    /** Fail if the folder can't be used, instead of continuing without it. For tools that fill or maintain a
       cache. */
    CUBINET_CACHE_REQUIRE_DIRECTORY = 1 << 0,
    /** Do not create the folder if it is missing. */
    CUBINET_CACHE_NO_CREATE = 1 << 1,
} cubinet_cache_flags;

/** How to open a cache. Zero-initialise, then set `size`. Strings are copied.
 *
 * The environment is ignored in programs that run with raised privileges (secure_getenv). They have a cache
 * on disk only if they name its folder themselves.
 * @since 0.1 */
typedef struct cubinet_cache_options {
    size_t size; /**< sizeof(cubinet_cache_options) */
    /** The folder; it and its parents are created if they are missing. NULL: $CUBINET_CACHE_DIR, else
     * $XDG_CACHE_HOME/cubinet, else none. "": none. */
    const char *directory;
    /** A folder to read, but not to write, after `directory`; NULL: $CUBINET_CACHE_SHARED_DIR, else none. "":
     * none.
     */
    const char *shared_directory;
    /** Most bytes that the folder's entries may take; the least recently used are removed. 0:
     * $CUBINET_CACHE_LIMIT, else 1 GiB. */
    uint64_t disk_limit_bytes;
    uint64_t memory_limit_bytes; /**< most bytes to keep in memory; 0: 64 MiB */
    uint32_t flags;              /**< cubinet_cache_flags */
    /** The longest time, in milliseconds, that a call waits for another process to make the same result,
     * before it makes the result itself; 0: $CUBINET_CACHE_WAIT (in seconds), else 10 minutes. When that
     * process ends, in whatever way, the wait ends. */
    uint32_t wait_limit_ms;
    cubinet_log_fn log; /**< NULL: silence */
    void *log_user;     /**< passed to `log` */
} cubinet_cache_options;

/**
 * Opens a cache.
 *
 * @param options NULL for the defaults
 * @param out_cache which the caller closes; untouched on failure
 * @return CUBINET_ERROR_INVALID_ARGUMENT, CUBINET_ERROR_OUT_OF_MEMORY; with CUBINET_CACHE_REQUIRE_DIRECTORY
 *         also CUBINET_ERROR_NOT_FOUND (no folder is named, or it is missing) and CUBINET_ERROR_IO (it
 *         can't be opened or is not safe; the message says what to do)
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_cache_open(const cubinet_cache_options *options,
                                              cubinet_cache **out_cache);

/** Closes a cache. Its entries on disk stay. NULL is allowed.
 * @since 0.1 */
CUBINET_API void cubinet_cache_close(cubinet_cache *cache);

/** The folder in use; "" if there is none. Valid until the cache is closed.
 * @since 0.1 */
CUBINET_API const char *cubinet_cache_get_directory(const cubinet_cache *cache);

/** What a cache has done since it was opened, and what it holds in memory.
 * @since 0.1 */
typedef struct cubinet_cache_stats {
    size_t size;             /**< sizeof(cubinet_cache_stats) */
    uint64_t memory_hits;    /**< found in memory */
    uint64_t disk_hits;      /**< found in the folder */
    uint64_t shared_hits;    /**< found in the shared folder */
    uint64_t misses;         /**< found nowhere, so made */
    uint64_t make_failures;  /**< misses whose result could not be made; failures are not cached */
    uint64_t waits;          /**< calls that waited while another thread or process made the same result */
    uint64_t stores;         /**< entries written to the folder */
    uint64_t store_failures; /**< results that could not be written to the folder */
    uint64_t damaged;        /**< entries found damaged, each of them a miss */
    uint64_t evictions;      /**< entries that this cache removed to keep its folder within the limit */
    uint64_t memory_entries; /**< in memory now */
    uint64_t memory_bytes;   /**< in memory now */
} cubinet_cache_stats;

/** Reads a cache's counters.
 *
 * @param out_stats set `size` before the call
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_cache_get_stats(const cubinet_cache *cache,
                                                   cubinet_cache_stats *out_stats);

/** What a cache's folder holds.
 * @since 0.1 */
typedef struct cubinet_cache_usage {
    size_t size;          /**< sizeof(cubinet_cache_usage) */
    uint64_t entries;     /**< how many */
    uint64_t bytes;       /**< of all entries' files together */
    uint64_t limit_bytes; /**< that this cache keeps to */
    int64_t oldest_use;   /**< of the least recently used entry, seconds since 1970; 0 if there are none */
    int64_t newest_use;   /**< of the most recently used entry, in the same unit */
} cubinet_cache_usage;

/**
 * Counts the folder's entries.
 *
 * @param out_usage set `size` before the call
 * @return CUBINET_ERROR_NOT_FOUND if the cache has no folder, CUBINET_ERROR_IO
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_cache_get_usage(const cubinet_cache *cache,
                                                   cubinet_cache_usage *out_usage);

/** What a call removed from the folder.
 * @since 0.1 */
typedef struct cubinet_cache_removed {
    size_t size;           /**< sizeof(cubinet_cache_removed) */
    uint64_t entries;      /**< how many */
    uint64_t bytes;        /**< of their files together */
    uint64_t left_entries; /**< that stay */
    uint64_t left_bytes;   /**< of their files together */
} cubinet_cache_removed;

/**
 * Removes the least recently used entries until at most `limit_bytes` are left. Also removes files that
 * killed processes left half-written.
 *
 * @param limit_bytes 0: the cache's own limit
 * @param out_removed set `size` before the call; may be NULL
 * @return CUBINET_ERROR_NOT_FOUND if the cache has no folder, CUBINET_ERROR_IO
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_cache_trim(cubinet_cache *cache, uint64_t limit_bytes,
                                              cubinet_cache_removed *out_removed);

/** Removes every entry, in the folder and in memory. Otherwise as cubinet_cache_trim().
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_cache_clear(cubinet_cache *cache, cubinet_cache_removed *out_removed);

/** Receives the file name of a damaged entry and what is wrong with it, both valid during the call.
 * @since 0.1 */
typedef void (*cubinet_cache_damage_fn)(void *user, const char *file, const char *what);

/**
 * Reads every entry of the folder and removes the damaged ones. Damaged entries do no harm: a lookup treats
 * them as misses and replaces them. But if you find any, check the disk.
 *
 * @param damaged called for each one; may be NULL
 * @param out_removed set `size` before the call; may be NULL
 * @return CUBINET_OK, even if some were damaged; CUBINET_ERROR_NOT_FOUND if the cache has no folder,
 *         CUBINET_ERROR_IO, CUBINET_ERROR_OUT_OF_MEMORY
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_cache_verify(cubinet_cache *cache, cubinet_cache_damage_fn damaged,
                                                void *user, cubinet_cache_removed *out_removed);

#ifdef __cplusplus
}
#endif

#endif
