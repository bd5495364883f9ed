/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping a folder within its limit, and tidying it. */
#include "cache_fixture.h"
#include "loader/cache/cache_lock.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 1000 };

static cubinet_cache_usage usage_of(const cubinet_cache *cache)
{
    cubinet_cache_usage usage = {.size = sizeof(usage)};
    assert_int_equal(cubinet_cache_get_usage(cache, &usage), CUBINET_OK);
    return usage;
}

static uint64_t size_of_entry(const char *folder)
{
    char path[PATH_SIZE];
    struct stat info;
    assert_int_equal(stat(entry_path(folder, 1, path), &info), 0);
    return (uint64_t)info.st_size;
}

/* Entries 1 to `count`, each used a minute after the one before, the last a minute ago. */
static uint64_t fill(const char *folder, int count)
{
    char path[PATH_SIZE];
    time_t now = time(NULL);
    for (int i = 1; i <= count; i++) {
        assert_int_equal(obtain_anew(folder, (uint64_t)i, SIZE), CBN_CACHE_MADE);
        set_used(entry_path(folder, (uint64_t)i, path), now - (count + 1 - i) * 60);
    }
    return size_of_entry(folder);
}

static bool has(const char *folder, uint64_t number)
{
    char path[PATH_SIZE];
    return access(entry_path(folder, number, path), F_OK) == 0;
}

static void what_was_not_used_for_longest_goes_first(void **state)
{
    uint64_t size = fill(*state, 20);
    char path[PATH_SIZE];
    set_used(entry_path(*state, 3, path), time(NULL) - 1);
    cubinet_cache *cache = open_limited(*state, 20 * size);
    assert_int_equal(obtain(cache, 100, SIZE), CBN_CACHE_MADE);
    assert_int_equal(stats_of(cache).evictions, 3); /* down to nine tenths of the limit */
    cubinet_cache_usage usage = usage_of(cache);
    assert_int_equal(usage.entries, 18);
    assert_int_equal(usage.bytes, 18 * size);
    assert_int_equal(usage.limit_bytes, 20 * size);
    assert_false(has(*state, 1));
    assert_false(has(*state, 2));
    assert_true(has(*state, 3));
    assert_false(has(*state, 4));
    assert_true(has(*state, 100));
    cubinet_cache_close(cache);
}

/* What one cache writes never exceeds the limit, whatever is written. */
static void the_limit_holds_after_every_entry(void **state)
{
    enum { LIMIT = 50000 };
    cubinet_cache *cache = open_limited(*state, LIMIT);
    for (uint64_t i = 0; i < 200; i++) {
        assert_int_equal(obtain(cache, i, 100 + (size_t)(i * 7919 % 9000)), CBN_CACHE_MADE);
        assert_true(usage_of(cache).bytes <= LIMIT);
        assert_true(has(*state, i));
    }
    assert_true(stats_of(cache).evictions > 100);
    cubinet_cache_close(cache);
}

static void a_hit_on_disk_is_a_use(void **state)
{
    char path[PATH_SIZE];
    struct stat info;
    fill(*state, 1);
    entry_path(*state, 1, path);
    set_used(path, time(NULL) - 100000);
    assert_int_equal(obtain_anew(*state, 1, SIZE), CBN_CACHE_DISK);
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_mtime >= time(NULL) - 100);

    /* Noted seldom: the time of a recent use stays. */
    set_used(path, time(NULL) - 50);
    struct stat before;
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(obtain_anew(*state, 1, SIZE), CBN_CACHE_DISK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mtime, before.st_mtime);
}

static void an_entry_from_the_future_does_not_stay_for_ever(void **state)
{
    char path[PATH_SIZE];
    uint64_t size = fill(*state, 3);
    set_used(entry_path(*state, 2, path), time(NULL) + 1000000);
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(cubinet_cache_trim(cache, 2 * size, NULL), CUBINET_OK);
    assert_false(has(*state, 2));
    assert_true(has(*state, 1) && has(*state, 3));
    cubinet_cache_close(cache);
}

static void what_is_larger_than_the_limit_is_not_kept(void **state)
{
    uint64_t size = fill(*state, 3);
    cubinet_cache *cache = open_limited(*state, 3 * size);
    assert_int_equal(obtain(cache, 100, 4 * SIZE), CBN_CACHE_MADE);
    assert_int_equal(stats_of(cache).store_failures, 1);
    assert_int_equal(stats_of(cache).evictions, 0);
    assert_int_equal(usage_of(cache).entries, 3);
    /* What fills it alone is. */
    assert_int_equal(obtain(cache, 101, (size_t)(3 * size) - 200), CBN_CACHE_MADE);
    assert_int_equal(stats_of(cache).evictions, 3);
    assert_true(has(*state, 101));
    cubinet_cache_close(cache);
}

static void trim_and_clear_say_what_they_removed(void **state)
{
    uint64_t size = fill(*state, 10);
    cubinet_cache *cache = open_cache(*state);
    cubinet_cache_removed removed = {.size = sizeof(removed)};
    assert_int_equal(cubinet_cache_trim(cache, 0, &removed), CUBINET_OK);
    assert_int_equal(removed.entries, 0);
    assert_int_equal(removed.left_entries, 10);
    assert_int_equal(cubinet_cache_trim(cache, 4 * size + 1, &removed), CUBINET_OK);
    assert_int_equal(removed.entries, 6);
    assert_int_equal(removed.bytes, 6 * size);
    assert_int_equal(removed.left_entries, 4);
    assert_int_equal(removed.left_bytes, 4 * size);
    assert_true(has(*state, 7) && !has(*state, 6));

    assert_int_equal(obtain(cache, 7, SIZE), CBN_CACHE_DISK);
    char path[PATH_SIZE];
    assert_int_equal(truncate(entry_path(*state, 8, path), 0), 0); /* an empty file goes, too */
    assert_int_equal(cubinet_cache_clear(cache, &removed), CUBINET_OK);
    assert_int_equal(removed.entries, 4);
    assert_int_equal(removed.left_entries, 0);
    cubinet_cache_usage usage = usage_of(cache);
    assert_int_equal(usage.entries, 0);
    assert_int_equal(usage.oldest_use, 0);
    assert_int_equal(obtain(cache, 7, SIZE), CBN_CACHE_MADE); /* from memory, too */
    cubinet_cache_close(cache);
}

static void usage_tells_when_entries_were_used(void **state)
{
    fill(*state, 10);
    cubinet_cache *cache = open_cache(*state);
    cubinet_cache_usage usage = usage_of(cache);
    assert_int_equal(usage.newest_use - usage.oldest_use, 9 * 60);
    assert_true(usage.newest_use <= time(NULL) - 60);
    cubinet_cache_close(cache);
}

static void other_files_are_left_alone(void **state)
{
    char path[PATH_SIZE];
    fill(*state, 1);
    int fd = open(path_below(*state, "README.link", path), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(cubinet_cache_clear(cache, NULL), CUBINET_OK);
    cubinet_cache_close(cache);
    assert_int_equal(access(path, F_OK), 0);
}

static int create_temporary(const char *folder, const char *name, long age)
{
    char path[PATH_SIZE];
    int fd = open(path_below(folder, name, path), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    set_used(path, time(NULL) - age);
    return fd;
}

static void what_killed_processes_left_is_removed(void **state)
{
    close(create_temporary(*state, "tmp-0000000000000001", 120));        /* its writer is gone */
    int writing = create_temporary(*state, "tmp-0000000000000002", 120); /* its writer is not */
    assert_true(cbn_cache_lock_file(writing));
    close(create_temporary(*state, "tmp-0000000000000003", 0));          /* may not be locked yet */
    int stuck = create_temporary(*state, "tmp-0000000000000004", 10000); /* as where there are no locks */
    assert_true(cbn_cache_lock_file(stuck));
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(cubinet_cache_trim(cache, 0, NULL), CUBINET_OK);
    cubinet_cache_close(cache);
    assert_int_equal(count_files(*state, "tmp-"), 2);
    assert_int_equal(count_files(*state, "tmp-0000000000000002"), 1);
    assert_int_equal(count_files(*state, "tmp-0000000000000003"), 1);
    close(writing);
    close(stuck);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, folder_create, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(what_was_not_used_for_longest_goes_first),
        TEST(the_limit_holds_after_every_entry),
        TEST(a_hit_on_disk_is_a_use),
        TEST(an_entry_from_the_future_does_not_stay_for_ever),
        TEST(what_is_larger_than_the_limit_is_not_kept),
        TEST(trim_and_clear_say_what_they_removed),
        TEST(usage_tells_when_entries_were_used),
        TEST(other_files_are_left_alone),
        TEST(what_killed_processes_left_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
