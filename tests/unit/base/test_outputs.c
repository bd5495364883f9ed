/* SPDX-License-Identifier: Apache-2.0 */
#include "base/outputs.h"
#include "unit.h"

#include "base/response_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each test runs in a folder of its own: "file" is there, "link" leads to it, "twin" is another name of
 * "double", "loose" leads to "missing", and "folder" is a folder with a link "back" to the one above it. */
static char folder[32];

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/cubinet-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_file("file", "");
    write_file("double", "");
    assert_int_equal(link("double", "twin"), 0);
    assert_int_equal(symlink("file", "link"), 0);
    assert_int_equal(symlink("missing", "loose"), 0);
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(symlink("..", "folder/back"), 0);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const files[] = {"file",  "double",      "twin",     "link",
                                        "loose", "folder/back", "arguments"};
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        unlink(files[i]);
    }
    rmdir("folder");
    return chdir("/") || rmdir(folder);
}

static void assert_refused(struct outputs *outputs, const char *message)
{
    assert_int_equal(outputs_check(outputs), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(cubinet_error_message(), message);
    assert_null(outputs->items);
}

static void assert_same(const char *first, const char *second)
{
    char message[256];
    struct outputs outputs = {0};
    outputs_write(&outputs, "the output", first);
    outputs_write(&outputs, "the rest", second);
    snprintf(message, sizeof(message),
             "the output '%s' and the rest '%s' are the same file; name another for one of them", first,
             second);
    assert_refused(&outputs, message);
}

static void assert_different(const char *first, const char *second)
{
    struct outputs outputs = {0};
    outputs_write(&outputs, "the output", first);
    outputs_write(&outputs, "the rest", second);
    assert_int_equal(outputs_check(&outputs), CUBINET_OK);
}

/* As if the option had been given once. */
static void takes_an_option_that_is_given_twice(void **state)
{
    struct outputs outputs = {0};
    (void)state;
    outputs_write(&outputs, "the trace", "file");
    outputs_write(&outputs, "the output", "new");
    outputs_write(&outputs, "the trace", "file");
    assert_int_equal(outputs_check(&outputs), CUBINET_OK);
}

static void refuses_one_file_by_two_paths(void **state)
{
    char absolute[64];
    (void)state;
    snprintf(absolute, sizeof(absolute), "%s/file", folder);
    assert_same("file", "file");
    assert_same("file", "./file");
    assert_same("file", "folder/..//file");
    assert_same("file", absolute);
    assert_same("link", "file");
    assert_same("folder/back/file", "file");
}

static void refuses_one_file_that_is_not_there_yet(void **state)
{
    char absolute[64];
    (void)state;
    snprintf(absolute, sizeof(absolute), "%s/missing", folder);
    assert_same("missing", "missing");
    assert_same("./missing", "missing");
    assert_same("missing", absolute);
    assert_same("folder/back/missing", "missing");
    assert_same("loose", "missing");
    assert_same("loose", "folder/back/loose");
    assert_same("folder/back/loose", "missing");
    assert_same("new/deep/missing", "./new/.//deep/missing");
    assert_same("/missing.cubinet", "//missing.cubinet");
}

static void takes_different_files(void **state)
{
    (void)state;
    assert_different("file", "double");
    assert_different("file", "missing");
    assert_different("missing", "folder/missing");
    assert_different("missing", "missing.d");
    assert_different("new/missing", "new2/missing");
    assert_different("file", NULL);
    assert_different("-", "-");
}

/* Writing to one of the names leaves the other as it is. */
static void takes_two_names_of_a_file(void **state)
{
    (void)state;
    assert_different("double", "twin");
    assert_same("double", "./double");
}

static void takes_what_is_no_regular_file_twice(void **state)
{
    (void)state;
    assert_different("/dev/null", "/dev/null");
    assert_different("folder", "folder");
}

static void refuses_to_write_over_what_is_read(void **state)
{
    struct cbn_text_list keys = {0};
    struct outputs outputs = {0};
    (void)state;
    cbn_text_list_add(&keys, "double");
    cbn_text_list_add(&keys, "file");
    outputs_read_all(&outputs, "the secret key", &keys);
    outputs_write(&outputs, "the output", "./file");
    assert_refused(&outputs,
                   "the output './file' is the secret key 'file', which would be lost; name another file");
    cbn_text_list_free(&keys);
}

static void takes_what_is_read_twice(void **state)
{
    struct outputs outputs = {0};
    (void)state;
    outputs_read(&outputs, "the key", "file");
    outputs_read(&outputs, "the archive", "file");
    outputs_write(&outputs, "the output", "missing");
    assert_int_equal(outputs_check(&outputs), CUBINET_OK);
}

static void lets_an_archive_be_edited(void **state)
{
    struct outputs outputs = {0};
    (void)state;
    outputs_write(&outputs, "the output", "file");
    outputs_edit(&outputs, "the archive", "link", "file");
    assert_int_equal(outputs_check(&outputs), CUBINET_OK);
    outputs_write(&outputs, "the output", "missing");
    outputs_write(&outputs, "the rest", "file");
    outputs_edit(&outputs, "the archive", "link", "missing");
    assert_refused(&outputs, "the rest 'file' is the archive 'link', which would be lost; name another file");
}

static void refuses_to_write_over_a_file_of_arguments(void **state)
{
    char *values[] = {"@arguments", NULL};
    struct arguments arguments;
    struct outputs outputs = {0};
    (void)state;
    write_file("arguments", "-o arguments");
    assert_int_equal(arguments_expand(1, values, &arguments), CUBINET_OK);
    outputs_write(&outputs, "the output", arguments.values[1]);
    assert_refused(&outputs, "the output 'arguments' is the file of arguments 'arguments', which would be "
                             "lost; name another file");
    arguments_free(&arguments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refuses_one_file_by_two_paths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_an_option_that_is_given_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_one_file_that_is_not_there_yet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_different_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_two_names_of_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_what_is_no_regular_file_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_to_write_over_what_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_what_is_read_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lets_an_archive_be_edited, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_to_write_over_a_file_of_arguments, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
