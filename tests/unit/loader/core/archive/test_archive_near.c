/* SPDX-License-Identifier: Apache-2.0 */
/* Opening an archive by its place relative to the program. */
#include "allocations.h"
#include "archive_sample.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX]; /* a new one beside this program */
static const char *name;      /* its last part */

static int make_folder(void **state)
{
    (void)state;
    char program[PATH_MAX] = "";
    if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0) {
        return -1;
    }
    int size = snprintf(folder, sizeof(folder), "%s/near-XXXXXX", dirname(program));
    if (size < 0 || (size_t)size >= sizeof(folder) || !mkdtemp(folder)) {
        return -1;
    }
    name = strrchr(folder, '/') + 1;
    return chdir("/"); /* which makes no difference */
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* NAME in the folder. */
static const char *path_of(const char *file)
{
    static char path[PATH_MAX + 64];
    snprintf(path, sizeof(path), "%s/%s", folder, file);
    return path;
}

static void write_file(const char *file, const void *bytes, size_t size)
{
    FILE *stream = fopen(path_of(file), "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static void write_sample(const char *file)
{
    struct built built = build(&sample_archive);
    write_file(file, built.bytes, built.size);
    built_free(&built);
}

static void refuses_what_is_missing(void **state)
{
    (void)state;
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_near(NULL, NULL, NULL, &archive), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_open_near(NULL, "x", NULL, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_null(archive);
}

static void reports_a_lack_of_memory(void **state)
{
    (void)state;
    cubinet_archive *archive = NULL;
    allocations_watch(1);
    cubinet_status status = cubinet_archive_open_near(NULL, "x", NULL, &archive);
    allocations_stop();
    assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
    assert_null(archive);
}

static cubinet_status try_open(const void *address, const char *format)
{
    char paths[3 * PATH_MAX];
    snprintf(paths, sizeof(paths), format, name, name);
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open_near(address, paths, NULL, &archive);
    assert_int_equal(archive != NULL, status == CUBINET_OK);
    cubinet_archive_close(archive);
    return status;
}

static void opens_relative_to_the_program(void **state)
{
    write_sample("a.cubinet");
    assert_int_equal(try_open(NULL, "%s/a.cubinet"), CUBINET_OK);
    assert_int_equal(try_open(state, "%s/a.cubinet"),
                     CUBINET_ERROR_INVALID_ARGUMENT); /* of the heap or stack */
    assert_int_equal(try_open((const void *)&folder, "%s/a.cubinet"), CUBINET_OK);
    unlink(path_of("a.cubinet"));
}

static void relative_to_a_library_is_where_that_is(void **state)
{
    (void)state;
    write_sample("a.cubinet");
    const void *in_libc = (const void *)stdout;
    assert_int_equal(try_open(in_libc, "%s/a.cubinet"), CUBINET_ERROR_IO);
    assert_non_null(strstr(cubinet_error_message(), "found at\n  /"));
    unlink(path_of("a.cubinet"));
}

static void takes_the_first_that_is_there(void **state)
{
    (void)state;
    write_sample("b.cubinet");
    assert_int_equal(try_open(NULL, "%s/a.cubinet:%s/b.cubinet"), CUBINET_OK);
    assert_int_equal(try_open(NULL, "::%s/b.cubinet:"),
                     CUBINET_ERROR_NOT_ARCHIVE); /* the program itself has none inside */
    write_file("a.cubinet", "no archive", 10);
    assert_int_equal(try_open(NULL, "%s/a.cubinet:%s/b.cubinet"), CUBINET_ERROR_NOT_ARCHIVE);
    unlink(path_of("a.cubinet"));
    assert_int_equal(try_open(NULL, path_of("b.cubinet")), CUBINET_OK); /* an absolute one */
    unlink(path_of("b.cubinet"));
}

static void says_where_it_looked(void **state)
{
    (void)state;
    assert_int_equal(try_open(NULL, "../x.cubinet:y.cubinet"), CUBINET_ERROR_IO);
    char expected[3 * PATH_MAX];
    snprintf(expected, sizeof(expected), "no archive was found at\n  %.*s../x.cubinet\n  %.*sy.cubinet",
             (int)(strrchr(folder, '/') + 1 - folder), folder, (int)(strrchr(folder, '/') + 1 - folder),
             folder);
    assert_string_equal(cubinet_error_message(), expected);
    assert_int_equal(cubinet_archive_open_near(NULL, NULL, NULL, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    char *endless = malloc(3 * PATH_MAX);
    assert_non_null(endless);
    memset(endless, 'x', 3 * PATH_MAX);
    endless[3 * PATH_MAX - 1] = '\0';
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_near(NULL, endless, NULL, &archive), CUBINET_ERROR_IO);
    assert_null(archive);
    free(endless);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_missing),
        cmocka_unit_test(reports_a_lack_of_memory),
        cmocka_unit_test(opens_relative_to_the_program),
        cmocka_unit_test(relative_to_a_library_is_where_that_is),
        cmocka_unit_test(takes_the_first_that_is_there),
        cmocka_unit_test(says_where_it_looked),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
