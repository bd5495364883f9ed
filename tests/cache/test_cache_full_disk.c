/* SPDX-License-Identifier: Apache-2.0 */
/* A file system that really is full, and one that is mounted read-only: a small one in memory, in a mount
 * namespace of this process's own. Skipped where a process may not do that. */
#include "cache_fixture.h"
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

enum { SKIPPED = 77, DISK = 256 * 1024 };

static void results_that_do_not_fit_are_not_kept(void **state)
{
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(obtain(cache, 1, DISK / 4), CBN_CACHE_MADE);
    assert_int_equal(obtain(cache, 2, DISK), CBN_CACHE_MADE);
    assert_int_equal(obtain(cache, 2, DISK), CBN_CACHE_MEMORY);
    cubinet_cache_stats stats = stats_of(cache);
    assert_int_equal(stats.stores, 1);
    assert_int_equal(stats.store_failures, 1);
    cubinet_cache_close(cache);
    assert_int_equal(count_files(*state, "tmp-"), 0);
    assert_int_equal(obtain_anew(*state, 1, DISK / 4), CBN_CACHE_DISK);
    assert_int_equal(obtain_anew(*state, 2, DISK), CBN_CACHE_MADE);
    assert_int_equal(obtain_anew(*state, 3, 100), CBN_CACHE_MADE); /* what fits is */
    assert_int_equal(obtain_anew(*state, 3, 100), CBN_CACHE_DISK);
}

static void a_file_system_without_a_byte_left(void **state)
{
    char path[PATH_SIZE];
    static char bytes[DISK];
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_MADE);
    FILE *file = fopen(path_below(*state, "ballast", path), "we");
    assert_non_null(file);
    assert_true(fwrite(bytes, 1, sizeof(bytes), file) < sizeof(bytes) || fclose(file) != 0);
    assert_int_equal(obtain(cache, 2, 10000), CBN_CACHE_MADE);
    assert_int_equal(stats_of(cache).store_failures, 1);
    cubinet_cache_close(cache);
    assert_int_equal(obtain_anew(*state, 1, 100), CBN_CACHE_DISK);
    assert_int_equal(count_files(*state, "tmp-"), 0);
}

static void a_read_only_mount_is_read(void **state)
{
    assert_int_equal(obtain_anew(*state, 1, 100), CBN_CACHE_MADE);
    assert_int_equal(mount(NULL, *state, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_DISK);
    assert_int_equal(obtain(cache, 2, 100), CBN_CACHE_MADE);
    assert_int_equal(stats_of(cache).store_failures, 1);
    cubinet_cache_close(cache);
}

static int mount_small(void **state)
{
    char options[32];
    snprintf(options, sizeof(options), "size=%d,mode=0700", DISK);
    return folder_create(state) || mount("none", *state, "tmpfs", 0, options);
}

static int unmount_small(void **state)
{
    return umount2(*state, MNT_DETACH) || folder_remove(state);
}

int main(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        printf("skipped: this process may not mount a small file system (%s)\n", strerror(errno));
        return SKIPPED;
    }
#define TEST(test) cmocka_unit_test_setup_teardown(test, mount_small, unmount_small)
    const struct CMUnitTest tests[] = {
        TEST(results_that_do_not_fit_are_not_kept),
        TEST(a_file_system_without_a_byte_left),
        TEST(a_read_only_mount_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
