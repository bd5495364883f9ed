/* SPDX-License-Identifier: Apache-2.0 */
/* Opening files: archives, and all that somebody may take for one. */
#include "archive_sample.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/format.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/cubinet-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder) ? -1 : 0;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *path, cubinet_status status, const char *message)
{
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), status);
    assert_null(archive);
    assert_string_equal(cubinet_error_message(), message);
}

static void expect_file(const void *bytes, size_t size, cubinet_status status, const char *message)
{
    write_file("file", bytes, size);
    expect("file", status, message);
    unlink("file");
}

static void opens_a_file(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    write_file("good.cubinet", built.bytes, built.size);
    built_free(&built);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open("good.cubinet", NULL, &archive), CUBINET_OK);
    unlink("good.cubinet"); /* a file that is open may be replaced */
    char text[sizeof(SAMPLE_PTX)] = "";
    assert_int_equal(cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 2, text, sizeof(text)), CUBINET_OK);
    assert_string_equal(text, SAMPLE_PTX);
    uint32_t module = 0;
    assert_int_equal(cubinet_archive_find_module(archive, "axpi", &module), CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "'good.cubinet' has no module 'axpi'; the nearest is 'axpy'");
    cubinet_archive_close(archive);
}

static void opens_an_archive_without_modules(void **state)
{
    (void)state;
    struct build_archive none = {.producer = "a test"};
    struct built built = build(&none);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
    assert_int_equal(cubinet_archive_get_module_count(archive), 0);
    uint32_t module = 0;
    assert_int_equal(cubinet_archive_find_module(archive, "x", &module), CUBINET_ERROR_NOT_FOUND);
    cubinet_archive_close(archive);
    built_free(&built);
}

static void refuses_what_is_no_file(void **state)
{
    (void)state;
    expect("missing", CUBINET_ERROR_IO, "'missing' cannot be opened: No such file or directory");
    expect(".", CUBINET_ERROR_IO, "'.' cannot be opened: Is a directory");
    expect("/dev/null", CUBINET_ERROR_IO, "'/dev/null' cannot be opened: it is not a regular file");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    expect("fifo", CUBINET_ERROR_IO, "'fifo' cannot be opened: it is not a regular file");
    unlink("fifo");
    if (geteuid() != 0) {
        write_file("secret", "x", 1);
        chmod("secret", 0);
        expect("secret", CUBINET_ERROR_IO, "'secret' cannot be opened: Permission denied");
        unlink("secret");
    }
}

static void refuses_other_files(void **state)
{
    (void)state;
    static const char text[] = "A text, not an archive.\n";
    static const char zip[] = "PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\6\0\0\0a.file";
    expect_file("", 0, CUBINET_ERROR_NOT_ARCHIVE, "'file' is not a Cubinet archive: it is empty");
    expect_file(text, sizeof(text), CUBINET_ERROR_NOT_ARCHIVE,
                "'file' is not a Cubinet archive: it is not a zip file");
    expect_file("PK", 2, CUBINET_ERROR_NOT_ARCHIVE, "'file' is not a Cubinet archive: it is not a zip file");
    expect_file("PK\3\4", 4, CUBINET_ERROR_DAMAGED,
                "'file' is truncated: it ends before its index, after 4 bytes");
    expect_file(zip, sizeof(zip) - 1, CUBINET_ERROR_NOT_ARCHIVE,
                "'file' is a zip file, but not a Cubinet archive: it starts with 'a.file', not with "
                "'cubinet.index'");
}

/* Names of other zip files' first entries are said if they are short and can be printed. */
static void says_what_another_zip_starts_with(void **state)
{
    (void)state;
    enum { HEADER = 30, LONGEST = 100 };
    static const struct {
        const char *name; /* and as many dots as make it `size` bytes */
        size_t size;
        bool is_said;
    } cases[] = {
        {"a", LONGEST, true},
        {"a", LONGEST + 1, false},
        {"", 0, true},
        {"cubinet.indey", 13, true},
        {"cubinet.index2", 14, true},
        {" ~", 2, true},
        {"~ ", 2, true},
        {"\x1f"
         "a",
         2, false},
        {"a\x1f", 2, false},
        {"\x7f.", 2, false},
        {"a\n", 2, false},
        {"\1\n", 2, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned char zip[HEADER + LONGEST + 1] = {'P', 'K', 3, 4};
        char message[400];
        unsigned char *name = zip + HEADER;
        zip[26] = (unsigned char)cases[i].size;
        memset(name, '.', cases[i].size);
        memcpy(name, cases[i].name, strlen(cases[i].name));
        snprintf(message, sizeof(message), "'file' is a zip file, but not a Cubinet archive%s%.*s%s",
                 cases[i].is_said ? ": it starts with '" : "", cases[i].is_said ? (int)cases[i].size : 0,
                 (const char *)name, cases[i].is_said ? "', not with 'cubinet.index'" : "");
        expect_file(zip, HEADER + cases[i].size, CUBINET_ERROR_NOT_ARCHIVE, message);
        if (cases[i].size > 0) {
            snprintf(message, sizeof(message),
                     "'file' is truncated: it ends before its index, after %zu bytes",
                     HEADER + cases[i].size - 1);
            expect_file(zip, HEADER + cases[i].size - 1, CUBINET_ERROR_DAMAGED, message);
        }
    }
}

static void says_that_a_file_has_another_size(struct built built)
{
    char message[300];
    snprintf(message, sizeof(message), "'file' is truncated: its index promises %zu bytes, the file has %zu",
             built.size, built.size - 1);
    expect_file(built.bytes, built.size - 1, CUBINET_ERROR_DAMAGED, message);
    unsigned char *longer = calloc(1, built.size + 1);
    memcpy(longer, built.bytes, built.size);
    snprintf(message, sizeof(message), "'file' is too long: its index promises %zu bytes, the file has %zu",
             built.size, built.size + 1);
    expect_file(longer, built.size + 1, CUBINET_ERROR_DAMAGED, message);
    free(longer);
    built_free(&built);
}

static void says_what_is_wrong_with_an_archive(void **state)
{
    (void)state;
    says_that_a_file_has_another_size(build(&sample_archive));
    says_that_a_file_has_another_size(build_large(&sample_archive));
    struct built built = build(&sample_archive);
    unsigned char *header = built.bytes + built.index;
    expect_file(built.bytes, 80, CUBINET_ERROR_DAMAGED,
                "'file' is truncated: it ends before its index, after 80 bytes");

    header[60] ^= 1;
    expect_file(built.bytes, built.size, CUBINET_ERROR_DAMAGED,
                "'file' is damaged: its index does not have the digest it promises");
    header[60] ^= 1;
    built.bytes[8] = 8;
    expect_file(built.bytes, built.size, CUBINET_ERROR_DAMAGED,
                "'file' is damaged: a zip tool has rewritten it and compressed its index; write it with "
                "`cubinet pack`");
    built.bytes[8] = 0;
    put(header + 8, 2, 3);
    put(header + 12, 2, 2);
    put(header + 14, 2, 1);
    expect_file(built.bytes, built.size, CUBINET_ERROR_NEWER_FORMAT,
                "'file' needs a reader of format 2.1 or later; this is cubinet 0.1.0, which reads up to 1.6: "
                "update Cubinet to one whose `cubinet --version` says archive format 2.1 or later, or make "
                "the archive "
                "again with cubinet 0.1.0");
    built_free(&built);
}

static void compares_versions(void **state)
{
    (void)state;
    static const struct {
        uint16_t format[2];
        uint16_t reader[2]; /* that it asks for */
        cubinet_status status;
    } cases[] = {
        {{CBN_FORMAT_MAJOR, CBN_FORMAT_MINOR}, {CBN_FORMAT_MAJOR, CBN_FORMAT_MINOR}, CUBINET_OK},
        {{CBN_FORMAT_MAJOR, CBN_FORMAT_MINOR + 1}, {CBN_FORMAT_MAJOR, CBN_FORMAT_MINOR}, CUBINET_OK},
        {{CBN_FORMAT_MAJOR + 1, 0}, {CBN_FORMAT_MAJOR, CBN_FORMAT_MINOR}, CUBINET_OK},
        {{1, 0}, {0, UINT16_MAX}, CUBINET_OK},
        {{CBN_FORMAT_MAJOR, CBN_FORMAT_MINOR + 1},
         {CBN_FORMAT_MAJOR, CBN_FORMAT_MINOR + 1},
         CUBINET_ERROR_NEWER_FORMAT},
        {{CBN_FORMAT_MAJOR + 1, 0}, {CBN_FORMAT_MAJOR + 1, 0}, CUBINET_ERROR_NEWER_FORMAT},
        {{1, 0}, {1, 1}, CUBINET_ERROR_DAMAGED},
        {{0, 1}, {0, 1}, CUBINET_ERROR_DAMAGED},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built = build(&sample_archive);
        cubinet_archive *archive = NULL;
        put(built.bytes + built.index + 8, 2, cases[i].format[0]);
        put(built.bytes + built.index + 10, 2, cases[i].format[1]);
        put(built.bytes + built.index + 12, 2, cases[i].reader[0]);
        put(built.bytes + built.index + 14, 2, cases[i].reader[1]);
        built_seal(&built);
        assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive),
                         cases[i].status);
        cubinet_archive_close(archive);
        built_free(&built);
    }
}

static void says_which_image_is_damaged(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    built.bytes[get(built.bytes + built_row(&built, SAMPLE_SEGSUM, 0x8020, 1) + 16, 8)] ^= 1;
    built.bytes[built_row(&built, SAMPLE_AXPY, 0x8020, 0)] ^= 1;
    write_file("file", built.bytes, built.size);
    built_free(&built);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open("file", NULL, &archive), CUBINET_OK);
    unlink("file");
    char text[sizeof(SAMPLE_CUBIN)];
    assert_int_equal(cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 1, text, sizeof(text)),
                     CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(),
                        "'file' is damaged: sm_90a of module 'segmented_sum': its bytes "
                        "do not have the digest that the index says");
    assert_int_equal(cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 0, text, sizeof(text)), CUBINET_OK);
    cubinet_module_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_module(archive, SAMPLE_AXPY, &info), CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(),
                        "'file' is damaged: module 'axpy': it does not have the digest "
                        "that the archive says");
    cubinet_archive_close(archive);
}

static void count_end(void *owner)
{
    ++*(int *)owner;
}

static void lets_go_of_the_bytes_of_a_sound_archive(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    cubinet_archive *archive = NULL;
    int ends = 0;
    assert_int_equal(cbn_archive_open_sound("no archive", 10, &ends, count_end, &archive),
                     CUBINET_ERROR_NOT_ARCHIVE);
    assert_int_equal(ends, 1);
    assert_null(archive);

    assert_int_equal(cbn_archive_open_sound(built.bytes, built.size, &ends, count_end, &archive), CUBINET_OK);
    char text[sizeof(SAMPLE_CUBIN)];
    assert_int_equal(cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 1, text, sizeof(text)), CUBINET_OK);
    assert_memory_equal(text, SAMPLE_CUBIN, sizeof(SAMPLE_CUBIN) - 1);
    cbn_archive_retain(archive);
    cubinet_archive_close(archive);
    assert_int_equal(ends, 1);
    cbn_archive_release(archive);
    assert_int_equal(ends, 2);
    built_free(&built);
}

/* The index may be all that there is, and no larger. */
static void compares_sizes(void **state)
{
    (void)state;
    const struct build_archive none = {.producer = "a test"};
    struct built built = build(&none);
    size_t end = built.index + built.index_size;
    cubinet_archive *archive = NULL;
    int ends = 0;
    put(built.bytes + built.index + 16, 8, end);
    assert_int_equal(cbn_archive_open_sound(built.bytes, end, &ends, count_end, &archive), CUBINET_OK);
    cubinet_archive_close(archive);
    archive = NULL;
    put(built.bytes + built.index + 24, 4, built.index_size + 1);
    assert_int_equal(cbn_archive_open_sound(built.bytes, end, &ends, count_end, &archive),
                     CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(),
                        "the archive in memory is damaged: the sizes in its header contradict each other");
    assert_int_equal(ends, 2);
    built_free(&built);
}

/* Only digests count for nothing: whatever would lead out of the archive is refused as ever. */
static void checks_the_tables_of_a_sound_archive(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    cubinet_archive *archive = NULL;
    int ends = 0;
    cubinet_image_info image = {.size = sizeof(image)};
    put(built.bytes + built_row(&built, SAMPLE_SEGSUM, 0x8020, 1) + 16, 8, built.size);
    assert_int_equal(cbn_archive_open_sound(built.bytes, built.size, &ends, count_end, &archive), CUBINET_OK);
    assert_int_equal(cubinet_archive_get_image(archive, SAMPLE_SEGSUM, 1, &image), CUBINET_ERROR_DAMAGED);
    cubinet_archive_close(archive);
    assert_int_equal(ends, 1);
    built_free(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_a_file),
        cmocka_unit_test(opens_an_archive_without_modules),
        cmocka_unit_test(refuses_what_is_no_file),
        cmocka_unit_test(refuses_other_files),
        cmocka_unit_test(says_what_another_zip_starts_with),
        cmocka_unit_test(says_what_is_wrong_with_an_archive),
        cmocka_unit_test(compares_versions),
        cmocka_unit_test(says_which_image_is_damaged),
        cmocka_unit_test(lets_go_of_the_bytes_of_a_sound_archive),
        cmocka_unit_test(compares_sizes),
        cmocka_unit_test(checks_the_tables_of_a_sound_archive),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
