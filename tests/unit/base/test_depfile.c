/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/depfile.h"
#include "base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *text_of(const char *const *paths, size_t count, bool phony)
{
    const struct depfile depfile = {
        .target = "out/k.cubinet", .paths = paths, .path_count = count, .phony = phony};
    char *text = NULL;
    assert_int_equal(depfile_text(&depfile, &text), CUBINET_OK);
    return text;
}

static void check(const char *const *paths, size_t count, bool phony, const char *expected)
{
    char *text = text_of(paths, count, phony);
    assert_string_equal(text, expected);
    free(text);
}

static void writes_one_rule(void **state)
{
    (void)state;
    static const char *const paths[] = {"k.cu", "/usr/include/a.h", "b.h"};
    check(paths, 3, false, "out/k.cubinet: \\\n  k.cu \\\n  /usr/include/a.h \\\n  b.h\n");
    check(paths, 1, false, "out/k.cubinet: \\\n  k.cu\n");
}

static void escapes_what_both_tools_know(void **state)
{
    (void)state;
    static const char *const paths[] = {"k.cu",  "a b.h", "a$b.h",          "a#b.h",
                                        "a:b.h", "~a.h",  "a%(b)[c]@d!,+.h"};
    check(paths, COUNT(paths), false,
          "out/k.cubinet: \\\n  k.cu \\\n  a\\ b.h \\\n  a$$b.h \\\n  a\\#b.h \\\n  a\\:b.h \\\n  ./~a.h \\\n"
          "  a%(b)[c]@d!,+.h\n");
}

static void puts_no_assignment_first(void **state)
{
    (void)state;
    static const char *const paths[] = {"a=1.cu", "b=2.h", "c.h", "d.h"};
    check(paths, COUNT(paths), false, "out/k.cubinet: \\\n  c.h \\\n  a=1.cu \\\n  b=2.h \\\n  d.h\n");
}

static void looks_again_each_time_for_what_it_cannot_write(void **state)
{
    (void)state;
    static const char *const paths[] = {"k.cu", "a&b.h", "c.h"};
    check(paths, COUNT(paths), false,
          "out/k.cubinet: \\\n  k.cu \\\n  c.h \\\n  .cubinet-look-again\n\n.cubinet-look-again:\n");
}

static void adds_phony_rules_for_all_but_the_source(void **state)
{
    (void)state;
    static const char *const paths[] = {"k.cu", "a b.h", "c&d.h"};
    check(paths, 2, true, "out/k.cubinet: \\\n  k.cu \\\n  a\\ b.h\n\na\\ b.h:\n");
    check(paths, 3, true,
          "out/k.cubinet: \\\n  k.cu \\\n  a\\ b.h \\\n  .cubinet-look-again\n\n.cubinet-look-again:\n\na\\ "
          "b.h:\n");
}

static void knows_what_it_can_write(void **state)
{
    (void)state;
    assert_true(depfile_can_write("a b$c#d:e/\xc3\xa9.h"));
    for (const char *c = "&'\"`<>|;*?^\\\t\n"; *c; c++) {
        char path[] = {'a', *c, 'b', '\0'};
        assert_false(depfile_can_write(path));
    }
}

/* A folder of its own for the test, which is the working folder meanwhile. */
static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/test_depfile.XXXXXX");
    *state = folder;
    return !folder || !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **state)
{
    char command[256];
    snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
    free(*state);
    return system(command);
}

static void spells_odd_paths_through_the_working_folder(void **state)
{
    (void)state;
    struct cbn_text_list paths = {0};
    assert_int_equal(cbn_text_list_add(&paths, "/home/r&d/src/k.cu"), CUBINET_OK);
    assert_int_equal(cbn_text_list_add(&paths, "/home/r&d/build/x.h"), CUBINET_OK);
    assert_int_equal(cbn_text_list_add(&paths, "/home/r&d"), CUBINET_OK);
    assert_int_equal(cbn_text_list_add(&paths, "/home/r&d/build"), CUBINET_OK);
    assert_int_equal(cbn_text_list_add(&paths, "/home/r&d/build2"), CUBINET_OK);
    assert_int_equal(cbn_text_list_add(&paths, "plain.h"), CUBINET_OK);
    assert_int_equal(depfile_make_writable(&paths, "/home/r&d/build", "links"), CUBINET_OK);
    assert_string_equal(paths.items[0], "../src/k.cu");
    assert_string_equal(paths.items[1], "x.h");
    assert_string_equal(paths.items[2], "..");
    assert_string_equal(paths.items[3], ".");
    assert_string_equal(paths.items[4], "../build2");
    assert_string_equal(paths.items[5], "plain.h");
    cbn_text_list_free(&paths);
}

static void links_to_odd_paths(void **state)
{
    struct cbn_text_list paths = {0};
    assert_int_equal(mkdir("r&d", 0777), 0);
    assert_int_equal(file_replace("r&d/a.h", "text", 4), CUBINET_OK);
    assert_int_equal(cbn_text_list_add(&paths, "r&d/a.h"), CUBINET_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(depfile_make_writable(&paths, *state, "links"), CUBINET_OK);
        assert_true(depfile_can_write(paths.items[0]));
        assert_int_equal(strncmp(paths.items[0], "links/", 6), 0);
        char *data = NULL;
        size_t size = 0;
        assert_int_equal(file_read(paths.items[0], &data, &size), CUBINET_OK);
        assert_string_equal(data, "text");
        free(data);
    }
    cbn_text_list_free(&paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_one_rule),
        cmocka_unit_test(escapes_what_both_tools_know),
        cmocka_unit_test(puts_no_assignment_first),
        cmocka_unit_test(looks_again_each_time_for_what_it_cannot_write),
        cmocka_unit_test(adds_phony_rules_for_all_but_the_source),
        cmocka_unit_test(knows_what_it_can_write),
        cmocka_unit_test_setup_teardown(spells_odd_paths_through_the_working_folder, enter_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(links_to_odd_paths, enter_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
