/* SPDX-License-Identifier: Apache-2.0 */
/* Paths at which a compile found nothing, looked at again: those in a folder that is not there cost nothing
 * each, and what has appeared meanwhile is seen. */
#include "cache/compile_inputs_now.h"
#include "cache_fixture.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t stats;

int __real_stat(const char *path, struct stat *about);
int __wrap_stat(const char *path, struct stat *about);

int __wrap_stat(const char *path, struct stat *about)
{
    stats++;
    return __real_stat(path, about);
}

static int enter_folder(void **state)
{
    return folder_create(state) || chdir(*state);
}

static enum input_state look(const char *path, struct input_folders *folders)
{
    struct input input = {.kind = INPUT_MISSING, .path = (char *)path};
    const struct cbn_file_digests digests = {.fd = -1};
    return compile_input_now(&input, &digests, folders);
}

static void make_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0700), 0);
}

static void make_file(const char *path)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static void an_absent_folder_is_looked_for_once(void **state)
{
    (void)state;
    static char paths[200][32];
    struct input_folders folders = {0};
    stats = 0;
    for (size_t i = 0; i < COUNT(paths); i++) {
        snprintf(paths[i], sizeof(paths[i]), "./gone/%zu/%zu.h", i % 7, i);
        assert_int_equal(look(paths[i], &folders), INPUT_SAME);
    }
    assert_int_equal(stats, 4); /* the first path, and up from it ./gone/0, ./gone and . */
}

static void a_folder_that_is_there_is_looked_for_once(void **state)
{
    (void)state;
    static char paths[200][32];
    struct input_folders folders = {0};
    make_folder("there");
    make_file("there/7.h");
    stats = 0;
    for (size_t i = 0; i < COUNT(paths); i++) {
        snprintf(paths[i], sizeof(paths[i]), "there/%zu.h", i);
        assert_int_equal(look(paths[i], &folders), i == 7 ? INPUT_APPEARED : INPUT_SAME);
    }
    assert_int_equal(stats, COUNT(paths) + 1);
}

static void what_appeared_is_seen(void **state)
{
    (void)state;
    struct input_folders folders = {0};
    assert_int_equal(look("new/a.h", &folders), INPUT_SAME);
    assert_int_equal(look("newer.h", &folders), INPUT_SAME);
    make_file("newest.h");
    assert_int_equal(look("newest.h", &folders), INPUT_APPEARED);
    make_folder("new");
    make_file("new/a.h");
    folders = (struct input_folders){0};
    assert_int_equal(look("new/a.h", &folders), INPUT_APPEARED);
    assert_int_equal(look("new/b.h", &folders), INPUT_SAME);
    assert_int_equal(look("new/a.h/b.h", &folders), INPUT_SAME); /* a file is not a folder */
    assert_int_equal(look("new/a.h", &folders), INPUT_APPEARED);
}

/* More than are remembered. */
static void many_folders_are_all_looked_for(void **state)
{
    (void)state;
    static char paths[100][32];
    struct input_folders folders = {0};
    for (size_t i = 0; i < COUNT(paths); i++) {
        snprintf(paths[i], sizeof(paths[i]), "f%zu", i);
        if (i % 3 == 0) {
            make_folder(paths[i]);
        }
        snprintf(paths[i], sizeof(paths[i]), "f%zu/a.h", i);
        if (i % 6 == 0) {
            make_file(paths[i]);
        }
    }
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT(paths); i++) {
            assert_int_equal(look(paths[i], &folders), i % 6 == 0 ? INPUT_APPEARED : INPUT_SAME);
        }
    }
}

static void a_path_longer_than_any_is_missing_or_not_known(void **state)
{
    (void)state;
    static char path[8192];
    struct input_folders folders = {0};
    memset(path, 'a', sizeof(path) - 1);
    path[4] = '/';
    assert_int_equal(look(path, &folders), INPUT_APPEARED); /* ENAMETOOLONG says nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_absent_folder_is_looked_for_once, enter_folder, folder_remove),
        cmocka_unit_test_setup_teardown(a_folder_that_is_there_is_looked_for_once, enter_folder,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(what_appeared_is_seen, enter_folder, folder_remove),
        cmocka_unit_test_setup_teardown(many_folders_are_all_looked_for, enter_folder, folder_remove),
        cmocka_unit_test(a_path_longer_than_any_is_missing_or_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
