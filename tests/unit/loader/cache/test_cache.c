/* SPDX-License-Identifier: Apache-2.0 */
/* A cache in one process: its layers, what fails, what is counted, and how it is opened. */
#include "cache_fixture.h"
#include "loader/cache/cache_settings.h"
#include "loader/core/support/error.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void is_found_in_memory_then_on_disk(void **state)
{
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(obtain(cache, 1, 1000), CBN_CACHE_MADE);
    assert_int_equal(obtain(cache, 1, 1000), CBN_CACHE_MEMORY);
    assert_int_equal(obtain(cache, 2, 0), CBN_CACHE_MADE); /* even nothing is something */
    assert_int_equal(obtain(cache, 2, 0), CBN_CACHE_MEMORY);
    cubinet_cache_stats stats = stats_of(cache);
    assert_int_equal(stats.misses, 2);
    assert_int_equal(stats.stores, 2);
    assert_int_equal(stats.memory_hits, 2);
    assert_int_equal(stats.memory_entries, 2);
    assert_true(stats.memory_bytes > 1000);
    cubinet_cache_close(cache);

    cache = open_cache(*state);
    assert_int_equal(obtain(cache, 1, 1000), CBN_CACHE_DISK);
    assert_int_equal(obtain(cache, 1, 1000), CBN_CACHE_MEMORY);
    assert_int_equal(obtain(cache, 2, 0), CBN_CACHE_DISK);
    stats = stats_of(cache);
    assert_int_equal(stats.disk_hits, 2);
    assert_int_equal(stats.misses, 0);
    assert_int_equal(stats.damaged, 0);
    cubinet_cache_close(cache);
}

static void shared_folder_is_read_and_never_written(void **state)
{
    char own[PATH_SIZE], shared[PATH_SIZE], path[PATH_SIZE];
    path_below(*state, "own", own);
    path_below(*state, "shared", shared);
    assert_int_equal(obtain_anew(shared, 1, 500), CBN_CACHE_MADE);
    entry_path(shared, 1, path);
    set_used(path, time(NULL) - 100000);
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);

    const cubinet_cache_options options = {
        .size = sizeof(options), .directory = own, .shared_directory = shared};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    assert_int_equal(obtain(cache, 1, 500), CBN_CACHE_SHARED);
    assert_int_equal(obtain(cache, 1, 500), CBN_CACHE_MEMORY);
    assert_int_equal(obtain(cache, 2, 500), CBN_CACHE_MADE);
    assert_int_equal(stats_of(cache).shared_hits, 1);
    cubinet_cache_close(cache);

    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_mtime, before.st_mtime);
    assert_int_equal(count_files(shared, ""), 3); /* the entry, and its maker's lock and counters */
    assert_int_equal(obtain_anew(own, 2, 500), CBN_CACHE_DISK);
}

static void works_without_a_folder(void **state)
{
    (void)state;
    const cubinet_cache_options options = {.size = sizeof(options), .directory = "", .shared_directory = ""};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    assert_string_equal(cubinet_cache_get_directory(cache), "");
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_MADE);
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_MEMORY);
    cubinet_cache_usage usage = {.size = sizeof(usage)};
    assert_int_equal(cubinet_cache_get_usage(cache, &usage), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_cache_trim(cache, 0, NULL), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_cache_clear(cache, NULL), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_cache_verify(cache, NULL, NULL, NULL), CUBINET_ERROR_NOT_FOUND);
    cubinet_cache_close(cache);
    assert_int_equal(obtain(NULL, 1, 100), CBN_CACHE_MADE); /* nor without a cache */
}

static void a_failure_is_not_remembered(void **state)
{
    cubinet_cache *cache = open_cache(*state);
    struct cbn_cache_key key = numbered_key(1);
    struct product product = {.number = 1, .size = 10, .failure = CUBINET_ERROR_LINK};
    struct cbn_blob *blob = NULL;
    cbn_error(CUBINET_ERROR_LINK, "what the linker said");
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(cbn_cache_obtain(cache, &key, make_product, &product, NULL, &blob),
                         CUBINET_ERROR_LINK);
        assert_string_equal(cubinet_error_message(), "what the linker said");
        assert_null(blob);
        assert_int_equal(product.calls, i);
    }
    assert_int_equal(stats_of(cache).make_failures, 2);
    assert_int_equal(count_files(*state, ""), 1); /* the lock */
    assert_int_equal(obtain(cache, 1, 10), CBN_CACHE_MADE);
    cbn_cache_key_free(&key);
    cubinet_cache_close(cache);
}

static void memory_keeps_what_was_used_last(void **state)
{
    (void)state;
    enum { SIZE = 10000, ENTRIES = 200, FIT = 20 };
    const cubinet_cache_options options = {.size = sizeof(options),
                                           .directory = "",
                                           .shared_directory = "",
                                           .memory_limit_bytes = (SIZE + 400) * FIT};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(obtain(cache, i, SIZE), CBN_CACHE_MADE);
        assert_int_equal(obtain(cache, 0, SIZE), CBN_CACHE_MEMORY);
    }
    cubinet_cache_stats stats = stats_of(cache);
    assert_int_equal(stats.memory_entries, FIT);
    assert_true(stats.memory_bytes <= options.memory_limit_bytes);
    for (uint64_t i = ENTRIES - FIT + 1; i < ENTRIES; i++) {
        assert_int_equal(obtain(cache, i, SIZE), CBN_CACHE_MEMORY);
    }
    assert_int_equal(obtain(cache, 1, SIZE), CBN_CACHE_MADE);
    /* What is larger than the limit leaves the others in peace. */
    assert_int_equal(obtain(cache, 1000, SIZE * FIT * 2), CBN_CACHE_MADE);
    assert_int_equal(stats_of(cache).memory_entries, FIT);
    assert_int_equal(obtain(cache, 1000, SIZE * FIT * 2), CBN_CACHE_MADE);
    cubinet_cache_close(cache);
}

/* Key 1 of 5000 bytes, kept after the cache it is from is closed. */
static struct cbn_blob *blob_of_closed_cache(const char *folder, enum cbn_cache_source expected)
{
    cubinet_cache *cache = open_cache(folder);
    struct cbn_cache_key key = numbered_key(1);
    struct product product = {.number = 1, .size = 5000};
    struct cbn_blob *blob = NULL;
    enum cbn_cache_source source = CBN_CACHE_MEMORY;
    assert_int_equal(cbn_cache_obtain(cache, &key, make_product, &product, &source, &blob), CUBINET_OK);
    assert_int_equal(source, expected);
    assert_int_equal(cubinet_cache_clear(cache, NULL), CUBINET_OK);
    cubinet_cache_close(cache);
    cbn_cache_key_free(&key);
    return blob;
}

static void a_blob_outlives_its_cache(void **state)
{
    struct cbn_blob *made = blob_of_closed_cache(*state, CBN_CACHE_MADE);
    assert_int_equal(obtain_anew(*state, 1, 5000), CBN_CACHE_MADE);
    struct cbn_blob *read = blob_of_closed_cache(*state, CBN_CACHE_DISK);
    assert_true(is_product(made, 1, 5000));
    assert_true(is_product(read, 1, 5000));
    assert_int_equal((uintptr_t)made->data % 16, 0);
    assert_int_equal((uintptr_t)read->data % 16, 0);
    cbn_blob_release(made);
    cbn_blob_release(read);
}

static const char *directory_by_default(char path[PATH_SIZE])
{
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(NULL, &cache), CUBINET_OK);
    snprintf(path, PATH_SIZE, "%s", cubinet_cache_get_directory(cache));
    cubinet_cache_close(cache);
    return path;
}

static void environment_names_the_folder(void **state)
{
    char path[PATH_SIZE], expected[PATH_SIZE], wanted[PATH_SIZE];
    unsetenv("CUBINET_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    assert_string_equal(directory_by_default(path), "");
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_string_equal(directory_by_default(path), "");
    setenv("XDG_CACHE_HOME", *state, 1);
    assert_string_equal(directory_by_default(path), path_below(*state, "cubinet", expected));
    setenv("CUBINET_CACHE_DIR", path_below(*state, "some/where///", wanted), 1);
    assert_string_equal(directory_by_default(path), path_below(*state, "some/where", expected));
    setenv("CUBINET_CACHE_DIR", "", 1);
    assert_string_equal(directory_by_default(path), "");
    unsetenv("CUBINET_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
}

static void environment_names_the_limit_and_the_shared_folder(void **state)
{
    char shared[PATH_SIZE], own[PATH_SIZE];
    path_below(*state, "shared", shared);
    path_below(*state, "own", own);
    assert_int_equal(obtain_anew(shared, 1, 10), CBN_CACHE_MADE);
    setenv("CUBINET_CACHE_SHARED_DIR", shared, 1);
    setenv("CUBINET_CACHE_LIMIT", "3k", 1);
    const cubinet_cache_options options = {.size = sizeof(options), .directory = own};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    assert_int_equal(obtain(cache, 1, 10), CBN_CACHE_SHARED);
    cubinet_cache_usage usage = {.size = sizeof(usage)};
    assert_int_equal(cubinet_cache_get_usage(cache, &usage), CUBINET_OK);
    assert_int_equal(usage.limit_bytes, 3000);
    cubinet_cache_close(cache);
    unsetenv("CUBINET_CACHE_SHARED_DIR");
    unsetenv("CUBINET_CACHE_LIMIT");
}

static void keep_line(void *user, cubinet_log_level level, const char *line)
{
    (void)level;
    snprintf(user, PATH_SIZE, "%s", line);
}

static void a_limit_that_is_none_is_logged(void **state)
{
    char line[PATH_SIZE] = "";
    setenv("CUBINET_CACHE_LIMIT", "plenty", 1);
    const cubinet_cache_options options = {
        .size = sizeof(options), .directory = *state, .log = keep_line, .log_user = line};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    assert_non_null(strstr(line, "CUBINET_CACHE_LIMIT is 'plenty'"));
    cubinet_cache_close(cache);
    unsetenv("CUBINET_CACHE_LIMIT");
}

static void reads_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: it is none */
    } cases[] = {
        {"1", 1},
        {"4096", 4096},
        {"5k", 5000},
        {"5K", 5000},
        {"5Ki", 5120},
        {"2M", 2000000},
        {"2Mi", 2097152},
        {"3G", 3000000000},
        {"1Gi", 1073741824},
        {"1T", 1000000000000},
        {"18446744073709551615", UINT64_MAX},
        {"", 0},
        {"0", 0},
        {"0G", 0},
        {"-1", 0},
        {" 1", 0},
        {"G", 0},
        {"1B", 0},
        {"1GB", 0},
        {"1Gib", 0},
        {"1i", 0},
        {"18446744073709551616", 0},
        {"18446744073709551615K", 0},
        {"20000000T", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t bytes = 0;
        assert_int_equal(cbn_cache_parse_size(cases[i].text, &bytes), cases[i].bytes != 0);
        assert_int_equal(bytes, cases[i].bytes);
    }
}

static void refuses_wrong_arguments(void **state)
{
    cubinet_cache *cache = NULL;
    cubinet_cache_options options = {.size = sizeof(options), .directory = *state, .flags = 1 << 9};
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "cubinet_cache_options: `flags` is 0x200"));
    options.size = 0;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_cache_open(NULL, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_null(cache);
    cubinet_cache_stats stats = {.size = sizeof(stats)};
    assert_int_equal(cubinet_cache_get_stats(NULL, &stats), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_cache_trim(NULL, 0, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(cubinet_cache_get_directory(NULL), "");
    cubinet_cache_close(NULL);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, folder_create, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(is_found_in_memory_then_on_disk), TEST(shared_folder_is_read_and_never_written),
        TEST(works_without_a_folder),          TEST(a_failure_is_not_remembered),
        TEST(memory_keeps_what_was_used_last), TEST(a_blob_outlives_its_cache),
        TEST(environment_names_the_folder),    TEST(environment_names_the_limit_and_the_shared_folder),
        TEST(a_limit_that_is_none_is_logged),  TEST(reads_sizes),
        TEST(refuses_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
