/* SPDX-License-Identifier: Apache-2.0 */
/* What processes tell each other of trouble with a remote cache. Each opened set of stamps is a process here.
 */
#include "cache/remote_stamps.h"

#include "cache_fixture.h"
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char url[] = "http://host/cache";

static struct remote_stamps process(const char *folder)
{
    struct remote_stamps stamps;
    remote_stamps_open(folder, url, &stamps);
    return stamps;
}

/* What one process does: has trouble, or asks whether to rest. */
static bool note(const char *folder, enum remote_stamp stamp)
{
    struct remote_stamps stamps = process(folder);
    bool is_news = remote_stamps_note(&stamps, stamp);
    assert_true(remote_stamps_rest(&stamps, stamp)); /* in that process, for good */
    assert_false(remote_stamps_note(&stamps, stamp));
    remote_stamps_close(&stamps);
    return is_news;
}

static bool rests(const char *folder, enum remote_stamp stamp)
{
    struct remote_stamps stamps = process(folder);
    bool answer = remote_stamps_rest(&stamps, stamp);
    remote_stamps_close(&stamps);
    return answer;
}

/* Makes what is noted so many seconds older. */
static void age(const char *folder, int seconds)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (const struct dirent *found; (found = readdir(directory));) {
        char path[PATH_SIZE];
        struct stat info;
        if (found->d_name[0] != '.') {
            path_below(folder, found->d_name, path);
            assert_int_equal(stat(path, &info), 0);
            set_used(path, info.st_mtime - seconds);
        }
    }
    closedir(directory);
}

static void without_trouble_nothing_is_written(void **state)
{
    const char *folder = *state;
    struct remote_stamps stamps = process(folder);
    assert_false(remote_stamps_rest(&stamps, REMOTE_STAMP_FIND));
    remote_stamps_clear(&stamps, REMOTE_STAMP_FIND);
    remote_stamps_close(&stamps);
    assert_int_equal(count_files(folder, ""), 0);
}

static void trouble_is_news_once(void **state)
{
    assert_true(note(*state, REMOTE_STAMP_FIND));
    assert_false(note(*state, REMOTE_STAMP_FIND));
    assert_true(rests(*state, REMOTE_STAMP_FIND));
}

static void kinds_of_trouble_are_apart(void **state)
{
    assert_true(note(*state, REMOTE_STAMP_FIND));
    assert_false(rests(*state, REMOTE_STAMP_STORE));
    assert_true(note(*state, REMOTE_STAMP_STORE));
    assert_true(note(*state, REMOTE_STAMP_DAMAGED));
    assert_true(note(*state, REMOTE_STAMP_LARGE));
}

static void servers_are_apart(void **state)
{
    assert_true(note(*state, REMOTE_STAMP_FIND));
    struct remote_stamps other;
    remote_stamps_open(*state, "http://other/cache", &other);
    assert_false(remote_stamps_rest(&other, REMOTE_STAMP_FIND));
    assert_true(remote_stamps_note(&other, REMOTE_STAMP_FIND));
    remote_stamps_close(&other);
}

static void after_a_while_one_process_tries(void **state)
{
    note(*state, REMOTE_STAMP_FIND);
    age(*state, REMOTE_REST_SECONDS + 5);
    assert_false(rests(*state, REMOTE_STAMP_FIND));
    assert_true(rests(*state, REMOTE_STAMP_FIND));
}

static void who_tries_in_vain_tells_nobody(void **state)
{
    note(*state, REMOTE_STAMP_FIND);
    age(*state, REMOTE_REST_SECONDS + 5);
    struct remote_stamps stamps = process(*state);
    assert_false(remote_stamps_rest(&stamps, REMOTE_STAMP_FIND));
    assert_false(remote_stamps_note(&stamps, REMOTE_STAMP_FIND));
    remote_stamps_close(&stamps);
    assert_true(rests(*state, REMOTE_STAMP_FIND));
}

static void who_succeeds_ends_the_rest(void **state)
{
    note(*state, REMOTE_STAMP_FIND);
    age(*state, REMOTE_REST_SECONDS + 5);
    struct remote_stamps stamps = process(*state);
    assert_false(remote_stamps_rest(&stamps, REMOTE_STAMP_FIND));
    remote_stamps_clear(&stamps, REMOTE_STAMP_FIND);
    remote_stamps_close(&stamps);
    assert_false(rests(*state, REMOTE_STAMP_FIND));
    /* One that comes and goes is reported once. */
    assert_false(note(*state, REMOTE_STAMP_FIND));
}

static void after_a_time_without_it_trouble_is_news(void **state)
{
    note(*state, REMOTE_STAMP_FIND);
    age(*state, REMOTE_NEWS_SECONDS + 5);
    assert_false(rests(*state, REMOTE_STAMP_FIND));
    assert_false(rests(*state, REMOTE_STAMP_FIND));
    assert_true(note(*state, REMOTE_STAMP_FIND));
}

static void a_clock_that_was_set_back_is_no_rest(void **state)
{
    note(*state, REMOTE_STAMP_FIND);
    age(*state, -1000000);
    assert_false(rests(*state, REMOTE_STAMP_FIND));
}

static void a_file_system_s_clock_may_be_ahead(void **state)
{
    note(*state, REMOTE_STAMP_FIND);
    age(*state, -2);
    assert_true(rests(*state, REMOTE_STAMP_FIND));
    assert_false(note(*state, REMOTE_STAMP_FIND));
}

static void where_there_is_no_folder_each_process_is_for_itself(void **state)
{
    setenv("TMPDIR", "/dev/null", 1);
    for (int i = 0; i < 2; i++) {
        assert_true(note("", REMOTE_STAMP_FIND));
        assert_false(rests("", REMOTE_STAMP_FIND));
    }
    setenv("TMPDIR", *state, 1);
    assert_true(note("", REMOTE_STAMP_FIND));
    assert_false(note("", REMOTE_STAMP_FIND));
    assert_true(rests("", REMOTE_STAMP_FIND));
    unsetenv("TMPDIR");
}

static void links_are_not_followed(void **state)
{
    char victim[PATH_SIZE], path[PATH_SIZE];
    path_below(*state, "victim", victim);
    int fd = open(victim, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    struct remote_stamps stamps = process(*state);
    char name[64];
    snprintf(name, sizeof(name), "%s-find", stamps.prefix);
    assert_int_equal(symlink(victim, path_below(*state, name, path)), 0);
    assert_true(remote_stamps_note(&stamps, REMOTE_STAMP_FIND));
    remote_stamps_close(&stamps);
    struct stat info;
    assert_int_equal(stat(victim, &info), 0);
    assert_int_equal(info.st_size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_trouble_nothing_is_written, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(trouble_is_news_once, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(kinds_of_trouble_are_apart, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(servers_are_apart, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(after_a_while_one_process_tries, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(who_tries_in_vain_tells_nobody, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(who_succeeds_ends_the_rest, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(after_a_time_without_it_trouble_is_news, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_clock_that_was_set_back_is_no_rest, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(a_file_system_s_clock_may_be_ahead, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(where_there_is_no_folder_each_process_is_for_itself, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(links_are_not_followed, folder_create, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
