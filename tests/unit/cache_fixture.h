/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the cache have in common: a folder, keys by number, and a product for each. */
#ifndef CACHE_FIXTURE_H
#define CACHE_FIXTURE_H

#include "loader/cache/cache.h"
#include "loader/cache/cache_entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { FOLDER_SIZE = 64, PATH_SIZE = 256 };

/* cmocka's setup and teardown: `*state` is an empty folder, a string, which is removed with all in it. */
int folder_create(void **state);
int folder_remove(void **state);

/* `below` in a folder, in a buffer of the caller's. */
const char *path_below(const char *folder, const char *below, char path[PATH_SIZE]);

/* Key number N, of the kind "test"; the caller frees it. */
struct cbn_cache_key numbered_key(uint64_t number);

/* The path of its entry. */
const char *entry_path(const char *folder, uint64_t number, char path[PATH_SIZE]);

/* What is made for it: so many bytes, different for each number. */
struct product {
    uint64_t number;
    size_t size;
    int calls;              /* of the function that makes it */
    cubinet_status failure; /* what that function returns */
};
cubinet_status make_product(void *product, void **out_data, size_t *out_size);
bool is_product(const struct cbn_blob *blob, uint64_t number, size_t size);

/* Opens a cache on a folder, which must work. */
cubinet_cache *open_cache(const char *directory);
cubinet_cache *open_limited(const char *directory, uint64_t disk_limit_bytes);

/* Obtains number N of so many bytes, and compares it with what it should be; where it came from, or -1 if it
 * is wrong. */
int obtain(cubinet_cache *cache, uint64_t number, size_t size);

/* The same from a cache that is opened for it, so that memory has nothing. */
int obtain_anew(const char *directory, uint64_t number, size_t size);

cubinet_cache_stats stats_of(cubinet_cache *cache);

/* How many files a folder has whose names start so. */
size_t count_files(const char *folder, const char *prefix);

/* Forks a process in which an assertion that fails, or a minute that passes, ends it with a signal. It must
 * end with _exit(). */
pid_t fork_process(void);

/* Waits for it to end; its status is that of waitpid(). */
int end_of(pid_t process);

/* Sets when a file was last used. */
void set_used(const char *path, time_t when);

#endif
