/* SPDX-License-Identifier: Apache-2.0 */
/* Catalogs: what is found along a path, which archive a module comes from, and what is said of the others. */
#include "allocations.h"
#include "archive_builder.h"
#include "unit.h"

#include <cubinet/catalog.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/cubinet-test-XXXXXX";

static int run(const char *line)
{
    return system(line); /* NOLINT: in the test's own folder */
}

static int make_folder(void **state)
{
    (void)state;
    unsetenv("CUBINET_ARCHIVE_PATH");
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder) ? -1 : 0;
}

static int empty_folder(void **state)
{
    (void)state;
    unsetenv("CUBINET_ARCHIVE_PATH");
    return run("rm -rf ./*");
}

/* Writes an archive into a folder that is made, and frees it. */
static void write_built(struct built *built, const char *path)
{
    char parent[64] = "";
    if (strchr(path, '/')) {
        memcpy(parent, path, (size_t)(strrchr(path, '/') - path));
        mkdir(parent, 0777);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(built->bytes, 1, built->size, file), built->size);
    assert_int_equal(fclose(file), 0);
    built_free(built);
}

/* An archive of one or two modules, in byte order. */
static struct built build_modules(const char *version, const char *first, const char *second,
                                  size_t page_modules)
{
    const struct build_image image = {.kind = 2, .number = 50, .isa_or_floor = 80, .text = "PTX"};
    const struct build_module modules[] = {
        {.name = first, .images = &image, .image_count = 1},
        {.name = second, .images = &image, .image_count = 1},
    };
    const struct build_archive archive = {.version = version,
                                          .producer = "a test",
                                          .modules = modules,
                                          .module_count = second ? 2 : 1,
                                          .page_modules = page_modules};
    return build(&archive);
}

static void write_archive(const char *path, const char *version, const char *first, const char *second)
{
    struct built built = build_modules(version, first, second, 0);
    write_built(&built, path);
}

static cubinet_catalog *open_path(const char *paths)
{
    cubinet_catalog *catalog = NULL;
    assert_int_equal(cubinet_catalog_open(paths, NULL, &catalog), CUBINET_OK);
    return catalog;
}

/* The path of the entry that has the archive. */
static const char *path_of(const cubinet_catalog *catalog, const cubinet_archive *archive)
{
    for (uint32_t i = 0; i < cubinet_catalog_get_entry_count(catalog); i++) {
        cubinet_catalog_entry entry = {.size = sizeof(entry)};
        assert_int_equal(cubinet_catalog_get_entry(catalog, i, &entry), CUBINET_OK);
        if (entry.archive == archive) {
            return entry.path;
        }
    }
    return "no entry";
}

static void expect_from(const char *paths, const char *module, const char *path)
{
    cubinet_catalog *catalog = open_path(paths);
    const cubinet_archive *archive = NULL;
    uint32_t number = UINT32_MAX;
    assert_int_equal(cubinet_catalog_find_module(catalog, module, &archive, &number), CUBINET_OK);
    assert_string_equal(path_of(catalog, archive), path);
    cubinet_module_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_module(archive, number, &info), CUBINET_OK);
    assert_string_equal(info.name, module);
    cubinet_catalog_close(catalog);
}

static void expect_entry(const cubinet_catalog *catalog, uint32_t number, const char *path,
                         cubinet_status status, const char *reason)
{
    cubinet_catalog_entry entry = {.size = sizeof(entry)};
    assert_int_equal(cubinet_catalog_get_entry(catalog, number, &entry), CUBINET_OK);
    assert_string_equal(entry.path, path);
    assert_int_equal(entry.status, status);
    assert_string_equal(entry.reason, reason);
    assert_int_equal(entry.archive != NULL, status == CUBINET_OK);
}

static void later_ones_override(void **state)
{
    (void)state;
    write_archive("one/a.cubinet", "", "scan", "sort");
    write_archive("one/b.cubinet", "", "scan", NULL);
    write_archive("two/a.cubinet", "", "scan", NULL);
    expect_from("one", "scan", "one/b.cubinet");
    expect_from("one:two", "scan", "two/a.cubinet");
    expect_from("two:one", "scan", "one/b.cubinet");
    expect_from("one:two", "sort", "one/a.cubinet");
    expect_from("one/:one/a.cubinet", "scan", "one/a.cubinet");
}

static void higher_versions_override(void **state)
{
    (void)state;
    write_archive("one/a.cubinet", "1.10", "scan", "sort");
    write_archive("two/a.cubinet", "1.9", "scan", "unique");
    write_archive("two/b.cubinet", "1.10.0-rc1", "scan", NULL);
    write_archive("two/c.cubinet", "nightly", "scan", NULL);
    write_archive("two/d.cubinet", "", "scan", NULL);
    expect_from("one:two", "scan", "one/a.cubinet");
    expect_from("two:one", "scan", "one/a.cubinet");
    expect_from("one:two", "unique", "two/a.cubinet");
    expect_from("two", "scan", "two/b.cubinet");
    write_archive("two/e.cubinet", "1.10.0", "scan", NULL); /* equal to 1.10, and later */
    expect_from("one:two", "scan", "two/e.cubinet");
    expect_from("two:one", "scan", "one/a.cubinet");
}

static void folders_are_read_in_byte_order(void **state)
{
    (void)state;
    write_archive("one/b.cubinet", "", "scan", NULL);
    write_archive("one/B.cubinet", "", "scan", NULL);
    write_archive("one/a-2.cubinet", "", "scan", NULL);
    write_archive("one/a.cubinet", "", "scan", NULL);
    write_archive("one/.hidden.cubinet", "", "scan", NULL);
    write_archive("one/other.zip", "", "scan", NULL);
    mkdir("one/deep.cubinet", 0777);
    cubinet_catalog *catalog = open_path("one");
    assert_int_equal(cubinet_catalog_get_entry_count(catalog), 5);
    expect_entry(catalog, 0, "one/B.cubinet", CUBINET_OK, "");
    expect_entry(catalog, 1, "one/a-2.cubinet", CUBINET_OK, "");
    expect_entry(catalog, 2, "one/a.cubinet", CUBINET_OK, "");
    expect_entry(catalog, 3, "one/b.cubinet", CUBINET_OK, "");
    expect_entry(catalog, 4, "one/deep.cubinet", CUBINET_ERROR_IO,
                 "'one/deep.cubinet' cannot be opened: Is a directory");
    cubinet_catalog_entry entry = {.size = sizeof(entry)};
    assert_int_equal(cubinet_catalog_get_entry(catalog, 5, &entry), CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "the catalog has 5 entries, numbered from 0: there is no number 5");
    cubinet_catalog_close(catalog);
}

static void what_does_not_meet_the_options_is_left_out(void **state)
{
    (void)state;
    write_archive("one/a.cubinet", "1.4", "scan", NULL);
    write_archive("two/a.cubinet", "2.0", "scan", "sort");
    const cubinet_archive_options meant = {.size = sizeof(meant), .require_version = "< 2"};
    const cubinet_catalog_options options = {.size = sizeof(options), .archive = &meant};
    cubinet_catalog *catalog = NULL;
    assert_int_equal(cubinet_catalog_open("one:two", &options, &catalog), CUBINET_OK);
    const cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_catalog_find_module(catalog, "scan", &archive, NULL), CUBINET_OK);
    assert_string_equal(path_of(catalog, archive), "one/a.cubinet");
    expect_entry(catalog, 1, "two/a.cubinet", CUBINET_ERROR_OTHER_VERSION,
                 "'two/a.cubinet' has version 2.0, and this program requires < 2");
    assert_int_equal(cubinet_catalog_find_module(catalog, "sort", &archive, NULL), CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "no archive on the path has the module 'sort':\n"
                        "  left out: 'two/a.cubinet' has version 2.0, and this program requires < 2\n"
                        "  'one/a.cubinet', version 1.4 has 1 other module");
    cubinet_catalog_close(catalog);
}

static void untrusted_ones_are_left_out(void **state)
{
    (void)state;
    write_archive("a.cubinet", "1", "scan", NULL);
    static const char *const nobody[] = {NULL};
    const cubinet_archive_options meant = {.size = sizeof(meant), .public_keys = nobody};
    const cubinet_catalog_options options = {.size = sizeof(options), .archive = &meant};
    cubinet_catalog *catalog = NULL;
    assert_int_equal(cubinet_catalog_open("a.cubinet", &options, &catalog), CUBINET_OK);
    cubinet_catalog_entry entry = {.size = sizeof(entry)};
    assert_int_equal(cubinet_catalog_get_entry(catalog, 0, &entry), CUBINET_OK);
    assert_null(entry.archive);
    assert_int_equal(entry.status, CUBINET_ERROR_NOT_TRUSTED);
    cubinet_catalog_close(catalog);
}

static void says_where_it_looked(void **state)
{
    (void)state;
    mkdir("empty", 0777);
    write_archive("one/a.cubinet", "", "scan", "sort");
    assert_int_equal(run("echo no archive >one/b.cubinet"), 0);
    cubinet_catalog *catalog = open_path("empty:missing:one");
    uint32_t module = 7;
    assert_int_equal(cubinet_catalog_find_module(catalog, "scam", NULL, &module), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(module, 7);
    assert_string_equal(cubinet_error_message(),
                        "no archive on the path has the module 'scam'; the nearest is 'scan':\n"
                        "  left out: the folder 'empty' has no archive in it (*.cubinet)\n"
                        "  left out: 'missing' cannot be opened: No such file or directory\n"
                        "  left out: 'one/b.cubinet' is not a Cubinet archive: it is not a zip file\n"
                        "  'one/a.cubinet' has 2 other modules");
    cubinet_catalog_close(catalog);
    catalog = open_path(NULL);
    assert_int_equal(cubinet_catalog_find_module(catalog, "scan", NULL, NULL), CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "no archive on the path has the module 'scan': the path is empty");
    cubinet_catalog_close(catalog);
}

static void long_lists_are_cut(void **state)
{
    (void)state;
    char path[32];
    for (int i = 0; i < 25; i++) {
        snprintf(path, sizeof(path), "one/%02d.cubinet", i);
        write_archive(path, "", "scan", NULL);
        snprintf(path, sizeof(path), "echo >one/%02d-no.cubinet", i);
        assert_int_equal(run(path), 0);
    }
    cubinet_catalog *catalog = open_path("one");
    assert_int_equal(cubinet_catalog_find_module(catalog, "x", NULL, NULL), CUBINET_ERROR_NOT_FOUND);
    assert_non_null(strstr(cubinet_error_message(), "\n  left out: 5 more\n"));
    assert_non_null(strstr(cubinet_error_message(), "\n  'one/24.cubinet' has 1 other module\n"));
    assert_non_null(strstr(cubinet_error_message(), "\n  5 more archives"));
    cubinet_catalog_close(catalog);
}

static void the_environment_overrides(void **state)
{
    (void)state;
    write_archive("one/a.cubinet", "", "scan", NULL);
    write_archive("two/a.cubinet", "", "scan", NULL);
    setenv("CUBINET_ARCHIVE_PATH", ":two:", 1);
    expect_from("one", "scan", "two/a.cubinet");
    expect_from(NULL, "scan", "two/a.cubinet");
    const cubinet_catalog_options options = {.size = sizeof(options),
                                             .flags = CUBINET_CATALOG_NO_ENVIRONMENT};
    cubinet_catalog *catalog = NULL;
    assert_int_equal(cubinet_catalog_open("one", &options, &catalog), CUBINET_OK);
    assert_int_equal(cubinet_catalog_get_entry_count(catalog), 1);
    cubinet_catalog_close(catalog);
}

static void paths_may_count_from_the_program(void **state)
{
    (void)state;
    write_archive("a.cubinet", "", "scan", NULL);
    char paths[128];
    snprintf(paths, sizeof(paths), "no-such-folder::%s/a.cubinet", folder);
    const cubinet_catalog_options options = {
        .size = sizeof(options), .flags = CUBINET_CATALOG_NEAR, .address = folder};
    cubinet_catalog *catalog = NULL;
    cubinet_catalog_entry entry = {.size = sizeof(entry)};
    assert_int_equal(cubinet_catalog_open(paths, &options, &catalog), CUBINET_OK);
    assert_int_equal(cubinet_catalog_get_entry_count(catalog), 3);
    assert_int_equal(cubinet_catalog_get_entry(catalog, 0, &entry), CUBINET_OK);
    assert_non_null(strstr(entry.path, "/tests/unit/no-such-folder"));
    assert_int_equal(cubinet_catalog_get_entry(catalog, 1, &entry), CUBINET_OK);
    assert_non_null(strstr(entry.path, "/test_catalog"));
    assert_int_equal(entry.status, CUBINET_ERROR_NOT_ARCHIVE); /* nothing is inside this program */
    assert_int_equal(cubinet_catalog_find_module(catalog, "scan", NULL, NULL), CUBINET_OK);
    cubinet_catalog_close(catalog);
}

static void paths_that_are_too_long_are_told(void **state)
{
    (void)state;
    char *endless = malloc(10000);
    assert_non_null(endless);
    memset(endless, 'x', 9999);
    endless[9999] = '\0';
    const cubinet_catalog_options options = {.size = sizeof(options), .flags = CUBINET_CATALOG_NEAR};
    cubinet_catalog_entry entry = {.size = sizeof(entry)};
    for (int is_near = 0; is_near <= 1; is_near++) {
        cubinet_catalog *catalog = NULL;
        assert_int_equal(cubinet_catalog_open(endless, is_near ? &options : NULL, &catalog), CUBINET_OK);
        assert_int_equal(cubinet_catalog_get_entry(catalog, 0, &entry), CUBINET_OK);
        assert_int_equal(entry.status, CUBINET_ERROR_IO);
        assert_non_null(strstr(entry.reason, "File name too long"));
        cubinet_catalog_close(catalog);
    }
    free(endless);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    write_archive("a.cubinet", "1", "scan", NULL);
    cubinet_catalog *catalog = NULL;
    assert_int_equal(cubinet_catalog_open("a.cubinet", NULL, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    const cubinet_archive_options no_version = {.size = sizeof(no_version), .require_version = "1"};
    cubinet_catalog_options options = {.size = sizeof(options), .archive = &no_version};
    assert_int_equal(cubinet_catalog_open("a.cubinet", &options, &catalog), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "'1' is not a requirement of a version"));
    int on_the_stack = 0;
    options = (cubinet_catalog_options){
        .size = sizeof(options), .flags = CUBINET_CATALOG_NEAR, .address = &on_the_stack};
    assert_int_equal(cubinet_catalog_open("a.cubinet", &options, &catalog), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_null(catalog);
    cubinet_catalog_close(NULL);
    assert_int_equal(cubinet_catalog_get_entry_count(NULL), 0);
    assert_int_equal(cubinet_catalog_find_module(NULL, "scan", NULL, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_catalog_get_entry(NULL, 0, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
}

static void opening_leaves_the_message_alone(void **state)
{
    (void)state;
    cubinet_catalog_get_entry(NULL, 0, NULL);
    cubinet_catalog_close(open_path("missing"));
    assert_string_equal(cubinet_error_message(), "the catalog is NULL");
}

/* Each allocation fails in turn: a status, and nothing that leaks. */
static void withstands_want_of_memory(void **state)
{
    (void)state;
    char path[32];
    for (int i = 0; i < 17; i++) { /* more than the list of entries first has room for */
        snprintf(path, sizeof(path), "one/%02d.cubinet", i);
        write_archive(path, "1.0", "scan", NULL);
    }
    mkdir("empty", 0777);
    unsigned int failures = 0;
    for (unsigned int n = 1;; n++) {
        cubinet_catalog *catalog = NULL;
        allocations_watch(n);
        cubinet_status status = cubinet_catalog_open("one:missing:empty", NULL, &catalog);
        bool was_reached = allocations_stop() >= n;
        assert_int_equal(catalog != NULL, status == CUBINET_OK);
        if (status) {
            assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
            assert_string_equal(cubinet_error_message(), "out of memory");
            failures++;
        } else {
            assert_int_equal(cubinet_catalog_get_entry_count(catalog), 19);
        }
        cubinet_catalog_close(catalog);
        if (!was_reached) {
            break;
        }
    }
    assert_true(failures > 17 * 2);
}

static cubinet_status find_missing(void *catalog)
{
    const cubinet_archive *found = NULL;
    uint32_t module = 0;
    return cubinet_catalog_find_module(catalog, "scam", &found, &module);
}

static void withstands_want_of_memory_for_a_message(void **state)
{
    (void)state;
    write_archive("a.cubinet", "1.0", "scan", "sort");
    cubinet_catalog *catalog = open_path("a.cubinet:missing.cubinet");
    assert_int_equal(allocations_fail_each(find_missing, catalog, CUBINET_ERROR_NOT_FOUND), 3);
    assert_non_null(strstr(cubinet_error_message(), "left out: "));
    assert_non_null(strstr(cubinet_error_message(), "'a.cubinet', version 1.0 has 2 other modules"));
    cubinet_catalog_close(catalog);
}

static void *find_often(void *given)
{
    const cubinet_catalog *catalog = given;
    for (int i = 0; i < 1000; i++) {
        const cubinet_archive *archive = NULL;
        cubinet_module_info info = {.size = sizeof(info)};
        uint32_t module = 0;
        if (cubinet_catalog_find_module(catalog, i % 2 ? "scan" : "sort", &archive, &module) ||
            cubinet_archive_get_module(archive, module, &info) ||
            cubinet_catalog_find_module(catalog, "x", NULL, NULL) != CUBINET_ERROR_NOT_FOUND) {
            return given;
        }
    }
    return NULL;
}

static void threads_share_one(void **state)
{
    (void)state;
    write_archive("one/a.cubinet", "1", "scan", "sort");
    write_archive("two/a.cubinet", "2", "scan", NULL);
    cubinet_catalog *catalog = open_path("one:two");
    pthread_t threads[4];
    for (size_t i = 0; i < COUNT(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, find_often, catalog), 0);
    }
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    cubinet_catalog_close(catalog);
}

/* A page of the newest archive is damaged: what it lists may override what others have. */
static void a_damaged_page_hides_what_it_may_override(void **state)
{
    (void)state;
    write_archive("old.cubinet", "1", "scan", "sort");
    struct built built = build_modules("2", "scan", "sort", 1);
    built.bytes[built_row(&built, BUILT_PAGE(1), 0x8011, 0) + 16] ^= 1;
    write_built(&built, "new.cubinet");
    expect_from(".", "scan", "./new.cubinet");
    cubinet_catalog *catalog = open_path(".");
    const cubinet_archive *archive = NULL;
    uint32_t module = 77;
    assert_int_equal(cubinet_catalog_find_module(catalog, "sort", &archive, &module), CUBINET_ERROR_DAMAGED);
    assert_string_equal(
        cubinet_error_message(),
        "'./new.cubinet' is damaged: its list of modules from 'sort' on: it does not have the "
        "digest that the archive says");
    assert_null(archive);
    assert_int_equal(module, 77);
    cubinet_catalog_close(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(later_ones_override, empty_folder),
        cmocka_unit_test_teardown(higher_versions_override, empty_folder),
        cmocka_unit_test_teardown(folders_are_read_in_byte_order, empty_folder),
        cmocka_unit_test_teardown(what_does_not_meet_the_options_is_left_out, empty_folder),
        cmocka_unit_test_teardown(untrusted_ones_are_left_out, empty_folder),
        cmocka_unit_test_teardown(says_where_it_looked, empty_folder),
        cmocka_unit_test_teardown(long_lists_are_cut, empty_folder),
        cmocka_unit_test_teardown(the_environment_overrides, empty_folder),
        cmocka_unit_test_teardown(paths_may_count_from_the_program, empty_folder),
        cmocka_unit_test_teardown(paths_that_are_too_long_are_told, empty_folder),
        cmocka_unit_test_teardown(wrong_options_are_refused, empty_folder),
        cmocka_unit_test_teardown(opening_leaves_the_message_alone, empty_folder),
        cmocka_unit_test_teardown(withstands_want_of_memory, empty_folder),
        cmocka_unit_test_teardown(withstands_want_of_memory_for_a_message, empty_folder),
        cmocka_unit_test_teardown(threads_share_one, empty_folder),
        cmocka_unit_test_teardown(a_damaged_page_hides_what_it_may_override, empty_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
