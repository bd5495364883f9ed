/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that can't be used or must not be: the cache works without, and says why if it is asked to. */
#include "cache_fixture.h"
#include "loader/core/support/error.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static void keep_line(void *user, cubinet_log_level level, const char *line)
{
    if (level == CUBINET_LOG_WARNING) {
        snprintf(user, PATH_SIZE, "%s", line);
    }
}

/* Opens a cache on a folder that is not to be used: works without, logs why, and fails with the same words if
 * the folder is required. */
static void is_refused(const char *directory, cubinet_status status, const char *why)
{
    char line[PATH_SIZE] = "";
    cubinet_cache_options options = {.size = sizeof(options),
                                     .directory = directory,
                                     .shared_directory = "",
                                     .log = keep_line,
                                     .log_user = line};
    cubinet_cache *cache = NULL;
    cbn_error(CUBINET_ERROR_LIMIT, "an earlier failure");
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    assert_string_equal(cubinet_cache_get_directory(cache), "");
    assert_non_null(strstr(line, why));
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_MADE);
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_MEMORY);
    cubinet_cache_close(cache);
    assert_string_equal(cubinet_error_message(),
                        "an earlier failure"); /* calls that succeed leave it alone */
    cache = NULL;
    options.flags = CUBINET_CACHE_REQUIRE_DIRECTORY;
    assert_int_equal(cubinet_cache_open(&options, &cache), status);
    assert_non_null(strstr(cubinet_error_message(), why));
    assert_null(cache);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void the_folder_is_created_for_its_owner_alone(void **state)
{
    char folder[PATH_SIZE], parent[PATH_SIZE], path[PATH_SIZE];
    mode_t umask_before = umask(002);
    path_below(*state, "parent/cache", folder);
    assert_int_equal(obtain_anew(folder, 1, 100), CBN_CACHE_MADE);
    assert_int_equal(mode_of(path_below(*state, "parent", parent)), 0775);
    assert_int_equal(mode_of(folder), 0700);
    assert_int_equal(mode_of(entry_path(folder, 1, path)), 0644);
    assert_int_equal(obtain_anew(path_below(*state, "parent/other", folder), 1, 100), CBN_CACHE_MADE);
    assert_int_equal(mode_of(folder), 0700);
    umask(umask_before);
}

static void a_missing_folder_is_not_always_created(void **state)
{
    char folder[PATH_SIZE];
    cubinet_cache_options options = {.size = sizeof(options),
                                     .directory = path_below(*state, "missing", folder),
                                     .flags = CUBINET_CACHE_NO_CREATE};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    assert_string_equal(cubinet_cache_get_directory(cache), "");
    cubinet_cache_close(cache);
    cache = NULL;
    options.flags |= CUBINET_CACHE_REQUIRE_DIRECTORY;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_ERROR_NOT_FOUND);
    assert_non_null(strstr(cubinet_error_message(), "No such file or directory"));
    assert_int_not_equal(access(folder, F_OK), 0);
}

static void a_folder_that_others_can_write_is_refused(void **state)
{
    static const mode_t modes[] = {0770, 0720, 0702, 01777};
    for (size_t i = 0; i < COUNT(modes); i++) {
        assert_int_equal(chmod(*state, modes[i]), 0);
        is_refused(*state, CUBINET_ERROR_IO, "can be written by others than its owner");
    }
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(obtain_anew(*state, 1, 100), CBN_CACHE_MADE);
    assert_int_equal(obtain_anew(*state, 1, 100), CBN_CACHE_DISK);
}

static void a_symbolic_link_is_refused(void **state)
{
    char real[PATH_SIZE], link[PATH_SIZE], slash[PATH_SIZE], dangling[PATH_SIZE];
    assert_int_equal(mkdir(path_below(*state, "real", real), 0700), 0);
    assert_int_equal(symlink(real, path_below(*state, "link", link)), 0);
    is_refused(link, CUBINET_ERROR_IO, "is a symbolic link");
    is_refused(path_below(*state, "link/", slash), CUBINET_ERROR_IO, "is a symbolic link");
    assert_int_equal(symlink("/nowhere", path_below(*state, "dangling", dangling)), 0);
    is_refused(dangling, CUBINET_ERROR_IO, "is a symbolic link");
    assert_int_equal(count_files(real, ""), 0);
}

static void what_is_no_folder_is_refused(void **state)
{
    char file[PATH_SIZE], below[PATH_SIZE];
    FILE *stream = fopen(path_below(*state, "file", file), "we");
    assert_non_null(stream);
    fclose(stream);
    is_refused(file, CUBINET_ERROR_IO, "Not a directory");
    is_refused(path_below(*state, "file/below", below), CUBINET_ERROR_IO, "Not a directory");
}

/* Of a folder that root owns, where this is not root, and the other way round. */
static void the_folder_of_another_is_refused(void **state)
{
    if (geteuid() == 0) {
        assert_int_equal(chown(*state, NOBODY, NOBODY), 0);
        is_refused(*state, CUBINET_ERROR_IO, "belongs to user 65534, but this is user 0");
    } else {
        is_refused("/usr", CUBINET_ERROR_IO, "belongs to user 0");
    }
}

static void check_read_only(const char *folder)
{
    cubinet_cache *cache = open_cache(folder);
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_DISK);
    assert_int_equal(obtain(cache, 2, 100), CBN_CACHE_MADE);
    assert_int_equal(obtain(cache, 2, 100), CBN_CACHE_MEMORY);
    assert_int_equal(stats_of(cache).store_failures, 1);
    cubinet_cache_close(cache);
    char below[PATH_SIZE];
    is_refused(path_below(folder, "below", below), CUBINET_ERROR_NOT_FOUND, "No such file or directory");
}

/* Root can write anywhere, so a child process becomes somebody else for it. */
static int as_nobody(void (*check)(const char *), const char *folder)
{
    pid_t child = fork_process();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
            _exit(1);
        }
        check(folder);
        _exit(0);
    }
    return end_of(child);
}

static void a_read_only_folder_is_read(void **state)
{
    char path[PATH_SIZE];
    assert_int_equal(obtain_anew(*state, 1, 100), CBN_CACHE_MADE);
    assert_int_equal(unlink(path_below(*state, "lock", path)), 0);
    assert_int_equal(unlink(path_below(*state, "counters", path)), 0);
    entry_path(*state, 1, path);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, NOBODY, NOBODY), 0);
        assert_int_equal(chown(*state, NOBODY, NOBODY), 0);
    }
    assert_int_equal(chmod(*state, 0500), 0);
    assert_int_equal(as_nobody(check_read_only, *state), 0);
    assert_int_equal(chmod(*state, 0700), 0);
    assert_int_equal(count_files(*state, ""), 1);
}

static void check_shared(const char *folder)
{
    cubinet_cache_options options = {.size = sizeof(options), .directory = "", .shared_directory = folder};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_SHARED);
    cubinet_cache_close(cache);
}

static void a_shared_folder_may_be_of_another(void **state)
{
    if (geteuid() != 0) {
        skip(); /* only root can make one for another */
    }
    assert_int_equal(obtain_anew(*state, 1, 100), CBN_CACHE_MADE);
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(as_nobody(check_shared, *state), 0);
}

static void a_shared_folder_that_others_can_write_is_not_read(void **state)
{
    char line[PATH_SIZE] = "";
    assert_int_equal(obtain_anew(*state, 1, 100), CBN_CACHE_MADE);
    assert_int_equal(chmod(*state, 0777), 0);
    const cubinet_cache_options options = {.size = sizeof(options),
                                           .directory = "",
                                           .shared_directory = *state,
                                           .log = keep_line,
                                           .log_user = line};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    assert_non_null(strstr(line, "can be written by others"));
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_MADE);
    cubinet_cache_close(cache);
}

static void a_folder_that_is_removed_meanwhile_does_no_harm(void **state)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    cubinet_cache *cache = open_cache(path_below(*state, "cache", folder));
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_MADE);
    assert_int_equal(unlink(entry_path(folder, 1, path)), 0);
    assert_int_equal(unlink(path_below(folder, "lock", path)), 0);
    assert_int_equal(unlink(path_below(folder, "counters", path)), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(obtain(cache, 1, 100), CBN_CACHE_MEMORY);
    assert_int_equal(obtain(cache, 2, 100), CBN_CACHE_MADE);
    assert_int_equal(stats_of(cache).store_failures, 1);
    cubinet_cache_close(cache);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, folder_create, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(the_folder_is_created_for_its_owner_alone),
        TEST(a_missing_folder_is_not_always_created),
        TEST(a_folder_that_others_can_write_is_refused),
        TEST(a_symbolic_link_is_refused),
        TEST(what_is_no_folder_is_refused),
        TEST(the_folder_of_another_is_refused),
        TEST(a_read_only_folder_is_read),
        TEST(a_shared_folder_may_be_of_another),
        TEST(a_shared_folder_that_others_can_write_is_not_read),
        TEST(a_folder_that_is_removed_meanwhile_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
