/* SPDX-License-Identifier: Apache-2.0 */
/* Which files ptxas's options name, and when there may be others. */
#include "base/file.h"
#include "compile/ptxas_files.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
    assert_int_equal(file_replace(path, text, strlen(text)), CUBINET_OK);
}

/* `options` are words, each after `before`, `files` those that they name; both are separated by spaces. */
static void expect_behind(const char *before, const char *options, const char *files, bool may_read_more)
{
    struct cbn_text_list list = {0};
    struct cbn_text_list found = {0};
    char text[256];
    char joined[256] = "";
    char *rest = NULL;
    bool more = false;
    assert_true(strlen(options) < sizeof(text));
    strcpy(text, options);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_int_equal(cbn_text_list_addf(&list, "%s%s", before, word), CUBINET_OK);
    }
    assert_int_equal(ptxas_files_list(&list, &found, &more), CUBINET_OK);
    for (size_t i = 0; i < found.count; i++) {
        assert_true(strlen(joined) + strlen(found.items[i]) + 2 < sizeof(joined));
        strcat(strcat(joined, i ? " " : ""), found.items[i]);
    }
    assert_string_equal(joined, files);
    assert_int_equal(more, may_read_more);
    cbn_text_list_free(&list);
    cbn_text_list_free(&found);
}

static void expect(const char *options, const char *files, bool may_read_more)
{
    expect_behind("-Xptxas=", options, files, may_read_more);
}

static void options_that_read_nothing(void **state)
{
    (void)state;
    expect("", "", false);
    expect("-v -O3 -O 1 --opt-level=2 --maxrregcount 32 -dlcm=cg -lineinfo -w -Werror -m64", "", false);
    expect("--entry there.txt -e=there.txt", "", false); /* the name of a kernel */
}

static void options_that_name_files(void **state)
{
    (void)state;
    expect("-optf there.txt", "there.txt", false);
    expect("--options-file=missing.txt -v", "missing.txt", false);
    expect("-optf=there.txt,missing.txt", "there.txt missing.txt", false);
    expect("--apply-controls there.txt -O1 -optf=there.txt", "there.txt", false);
    expect("-optf", "", false); /* ptxas complains */
    expect("-optf -v there.txt", "there.txt", true);
}

static void files_with_options_name_others(void **state)
{
    (void)state;
    write_file("first.txt", "-v\n--options-file second.txt\t-O3");
    write_file("second.txt", "-optf=first.txt --apply-controls there.txt");
    expect("-optf first.txt", "first.txt second.txt there.txt", false);
    write_file("second.txt", "--not-known=there.txt");
    expect("-optf first.txt", "first.txt second.txt there.txt", true);
    write_file("second.txt", "-optf \"there.txt\"");
    expect("-optf first.txt", "first.txt second.txt \"there.txt\"", true);
}

static void options_that_are_not_known(void **state)
{
    (void)state;
    expect("--not-known", "", true);
    expect("--not-known=there.txt", "there.txt", true);
    expect("--not-known there.txt", "there.txt", true);
    expect("--not-known=missing.txt", "", true);
    expect("there.txt", "there.txt", true); /* more PTX */
    expect("-v there.txt", "there.txt", true);
}

/* ptxas gets options for nvJitLink, too, and before its own. */
static void options_for_nvjitlink(void **state)
{
    (void)state;
    expect_behind("", "-optf=there.txt", "there.txt", false);
    expect_behind("", "--apply-controls there.txt", "there.txt", false);
    expect_behind("", "-lineinfo -split-compile=2 -ftz=true -lto", "", false);
    expect_behind("", "-Xnvvm=there.txt", "there.txt", true);
    expect_behind("", "-Xptxas=-optf -lineinfo -Xptxas=there.txt", "there.txt", false);
}

static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/cubinet-ptxas-files-XXXXXX");
    *state = folder;
    if (!folder || !mkdtemp(folder) || chdir(folder) != 0) {
        return -1;
    }
    write_file("there.txt", "");
    return 0;
}

static int leave_folder(void **state)
{
    static const char *const files[] = {"there.txt", "first.txt", "second.txt"};
    for (size_t i = 0; i < COUNT(files); i++) {
        unlink(files[i]);
    }
    int result = chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
    free(*state);
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_read_nothing),  cmocka_unit_test(options_that_name_files),
        cmocka_unit_test(options_for_nvjitlink),      cmocka_unit_test(files_with_options_name_others),
        cmocka_unit_test(options_that_are_not_known),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
