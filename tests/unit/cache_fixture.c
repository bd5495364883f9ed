/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_fixture.h"

#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int folder_create(void **state)
{
    char *folder = malloc(FOLDER_SIZE);
    assert_non_null(folder);
    snprintf(folder, FOLDER_SIZE, "/tmp/cubinet-cache-XXXXXX");
    assert_non_null(mkdtemp(folder));
    *state = folder;
    return 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

int folder_remove(void **state)
{
    nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return 0;
}

const char *path_below(const char *folder, const char *below, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%s", folder, below);
    return path;
}

struct cbn_cache_key numbered_key(uint64_t number)
{
    struct cbn_cache_key key;
    cbn_cache_key_start(&key, "test");
    cbn_cache_key_add_u64(&key, "number", number);
    assert_int_equal(cbn_cache_key_finish(&key), CUBINET_OK);
    return key;
}

const char *entry_path(const char *folder, uint64_t number, char path[PATH_SIZE])
{
    struct cbn_cache_key key = numbered_key(number);
    char name[CBN_CACHE_NAME_SIZE];
    path_below(folder, cbn_cache_entry_name(&key, name), path);
    cbn_cache_key_free(&key);
    return path;
}

static unsigned char byte_of(uint64_t number, size_t position)
{
    return (unsigned char)((number * 0x9e3779b97f4a7c15U + position * 0xff51afd7ed558ccdU) >> 40);
}

cubinet_status make_product(void *data, void **out_data, size_t *out_size)
{
    struct product *product = data;
    product->calls++;
    if (product->failure) {
        return product->failure;
    }
    unsigned char *bytes = malloc(product->size ? product->size : 1);
    if (!bytes) {
        return CUBINET_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < product->size; i++) {
        bytes[i] = byte_of(product->number, i);
    }
    *out_data = bytes;
    *out_size = product->size;
    return CUBINET_OK;
}

bool is_product(const struct cbn_blob *blob, uint64_t number, size_t size)
{
    bool is_same = blob->size == size;
    for (size_t i = 0; is_same && i < size; i++) {
        is_same = blob->data[i] == byte_of(number, i);
    }
    return is_same;
}

cubinet_cache *open_limited(const char *directory, uint64_t disk_limit_bytes)
{
    const cubinet_cache_options options = {.size = sizeof(options),
                                           .directory = directory,
                                           .shared_directory = "",
                                           .disk_limit_bytes = disk_limit_bytes,
                                           .flags = CUBINET_CACHE_REQUIRE_DIRECTORY};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    return cache;
}

cubinet_cache *open_cache(const char *directory)
{
    return open_limited(directory, 0);
}

int obtain(cubinet_cache *cache, uint64_t number, size_t size)
{
    struct cbn_cache_key key = numbered_key(number);
    struct product product = {.number = number, .size = size};
    enum cbn_cache_source source = CBN_CACHE_MADE;
    struct cbn_blob *blob = NULL;
    cubinet_status status = cbn_cache_obtain(cache, &key, make_product, &product, &source, &blob);
    cbn_cache_key_free(&key);
    bool is_right =
        status == CUBINET_OK && is_product(blob, number, size) && product.calls == (source == CBN_CACHE_MADE);
    cbn_blob_release(blob);
    return is_right ? (int)source : -1;
}

int obtain_anew(const char *directory, uint64_t number, size_t size)
{
    cubinet_cache *cache = open_cache(directory);
    int source = obtain(cache, number, size);
    cubinet_cache_close(cache);
    return source;
}

cubinet_cache_stats stats_of(cubinet_cache *cache)
{
    cubinet_cache_stats stats = {.size = sizeof(stats)};
    assert_int_equal(cubinet_cache_get_stats(cache, &stats), CUBINET_OK);
    return stats;
}

size_t count_files(const char *folder, const char *prefix)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    for (const struct dirent *found; directory && (found = readdir(directory));) {
        count += found->d_name[0] != '.' && strncmp(found->d_name, prefix, strlen(prefix)) == 0;
    }
    if (directory) {
        closedir(directory);
    }
    return count;
}

pid_t fork_process(void)
{
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* or it would go on with the next test */
        signal(SIGALRM, SIG_DFL);
        alarm(1200);
    }
    return process;
}

int end_of(pid_t process)
{
    int status = -1;
    assert_int_equal(waitpid(process, &status, 0), process);
    return status;
}

void set_used(const char *path, time_t when)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = when}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}
