/* SPDX-License-Identifier: Apache-2.0 */
/* Records of use as text: what is written is read back, and nothing that is read does harm. */
#include "allocations.h"
#include "unit.h"

#include "loader/core/record/record_file.h"

#include <cubinet/status.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define START "{\"cubinet_record\":1,\"use\":\"kernel\",\"module\":\"m\""

static void expect_message(const char *part)
{
    if (!strstr(cubinet_error_message(), part)) {
        print_error("'%s' is not in: %s\n", part, cubinet_error_message());
        fail();
    }
}

/* Reads a text, of `size` bytes, whose end is watched by the sanitizer. */
static cubinet_status add_bytes(struct cbn_record *record, const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return cbn_record_add(record, copy, size, "a record");
}

static cubinet_status add(struct cbn_record *record, const char *text)
{
    return add_bytes(record, text, strlen(text));
}

static void test_what_is_written_is_read_back(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "plain",
        "",
        "\"quoted\" \\ and /",
        "line\nfeed\ttab\r\b\f\x01\x7f",
        "Größe \xe2\x82\xac \xf0\x9f\x98\x80",
        ",\"time\":",
        "segsum<float, 256>",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        const struct cbn_record_entry entry = {
            .use = CBN_RECORD_KERNEL,
            .archive = texts[i],
            .archive_digest = "0123",
            .archive_version = texts[i],
            .module = texts[i],
            .image = "sm_90a",
            .image_digest = "4567",
            .kernel = texts[i],
            .device = texts[i],
            .compute = "9.0",
            .driver = "13.0",
            .time = "2026-11-25T14:30:00Z",
        };
        size_t size = 0;
        size_t key_size = 0;
        struct cbn_record record = {0};
        char *line = cbn_record_print(&entry, &size, &key_size);
        assert_non_null(line);
        assert_memory_equal(line + key_size, ",\"time\":\"2026", 13);
        assert_null(memchr(line, '\n', size - 1));
        assert_int_equal(add(&record, line), CUBINET_OK);
        free(line);
        assert_int_equal(record.count, 1);
        assert_int_equal(record.damaged, 0);
        const struct cbn_record_entry *got = &record.entries[0];
        assert_string_equal(got->use, entry.use);
        assert_string_equal(got->archive, texts[i]);
        assert_string_equal(got->module, texts[i]);
        assert_string_equal(got->kernel, texts[i]);
        assert_string_equal(got->device, texts[i]);
        assert_string_equal(got->image, "sm_90a");
        assert_string_equal(got->time, entry.time);
        assert_null(got->global);
        cbn_record_free(&record);
    }
}

static void test_bytes_that_are_not_utf8_become_characters(void **state)
{
    (void)state;
    const struct cbn_record_entry entry = {.use = "kernel",
                                           .module = "a\xff"
                                                     "b",
                                           .time = "now"};
    size_t size = 0;
    size_t key_size = 0;
    struct cbn_record record = {0};
    char *line = cbn_record_print(&entry, &size, &key_size);
    assert_int_equal(add(&record, line), CUBINET_OK);
    assert_string_equal(record.entries[0].module, "a\xc3\xbf"
                                                  "b");
    free(line);
    cbn_record_free(&record);
}

static void test_other_members_and_blanks_are_passed_over(void **state)
{
    (void)state;
    struct cbn_record record = {0};
    assert_int_equal(add(&record, "\n \r\n"
                                  " \n" START ",\"new\":\"member\",\"count\":-1.5e3}\r\n"
                                  "{ \"module\" : \"\\u00e9\\ud83d\\ude00\" , \"use\" : \"found\" ,\t"
                                  "\"cubinet_record\" : 1 } \n"),
                     CUBINET_OK);
    assert_int_equal(record.count, 2);
    assert_int_equal(record.damaged, 0);
    assert_string_equal(record.entries[1].module, "é\xf0\x9f\x98\x80");
    cbn_record_free(&record);
}

/* Each of these lines is passed over, and counted; the one after it is read. */
static void test_damaged_lines_are_passed_over(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{",
        "}",
        "{}",
        "[]",
        "null",
        "x",
        "\"",
        "{\"",
        "{\"cubinet_record\":1",
        START,
        START ",",
        START ",}",
        START ",\"a\"}",
        START ",\"a\":}",
        START ",\"a\":\"b}",
        START ",\"a\":\"\\x\"}",
        START ",\"a\":\"\\",
        START ",\"a\":\"\\u\"}",
        START ",\"a\":\"\\u12\"}",
        START ",\"a\":\"\\u0000\"}",
        START ",\"a\":\"\\ud83d\"}",
        START ",\"a\":\"\\ude00\"}",
        START ",\"a\":\"\\ud83d\\u0041\"}",
        START ",\"a\":\"\\ud83d\\u\"}",
        START ",\"a\":{}}",
        START ",\"a\":[1]}",
        START ",\"a\":true}",
        START "}}",
        START "} x",
        START " \"a\":1}",
        "{\"cubinet_record\":\"1\",\"use\":\"kernel\",\"module\":\"m\"}",
        "{\"cubinet_record\":0,\"use\":\"kernel\",\"module\":\"m\"}",
        "{\"cubinet_record\":-1,\"use\":\"kernel\",\"module\":\"m\"}",
        "{\"cubinet_record\":1,\"use\":\"kernel\"}",
        "{\"cubinet_record\":1,\"module\":\"m\"}",
        "{\"cubinet_record\":1,\"use\":\"kernel\",\"module\":1}",
        "{,\"cubinet_record\":1}",
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct cbn_record record = {0};
        char text[512];
        snprintf(text, sizeof(text), "%s\n" START "}", lines[i]);
        if (add(&record, text) || record.damaged != 1 || record.count != 1) {
            print_error("%s: %zu damaged, %zu read\n", lines[i], record.damaged, record.count);
            fail();
        }
        cbn_record_free(&record);
    }
}

static void test_a_nul_is_damage(void **state)
{
    (void)state;
    static const char text[] = "\0\n" START "}\0\n" START "}\n";
    struct cbn_record record = {0};
    assert_int_equal(add_bytes(&record, text, sizeof(text) - 1), CUBINET_OK);
    assert_int_equal(record.count, 1);
    assert_int_equal(record.damaged, 2);
    cbn_record_free(&record);
}

/* Cut off anywhere, a record has whole entries only. */
static void test_a_record_cut_off_anywhere_is_read(void **state)
{
    (void)state;
    static const char text[] = START ",\"kernel\":\"one\"}\n" START ",\"kernel\":\"\\u0074wo\"}\n";
    for (size_t size = 0; size < sizeof(text); size++) {
        struct cbn_record record = {0};
        cubinet_status status = add_bytes(&record, text, size);
        assert_true(status == CUBINET_OK || (status == CUBINET_ERROR_DAMAGED && record.count == 0));
        for (size_t i = 0; i < record.count; i++) {
            assert_string_equal(record.entries[i].kernel, i == 0 ? "one" : "two");
        }
        cbn_record_free(&record);
    }
}

static void test_what_is_no_record_is_refused(void **state)
{
    (void)state;
    struct cbn_record record = {0};
    assert_int_equal(add(&record, "PK\x03\x04\nand more\n"), CUBINET_ERROR_DAMAGED);
    expect_message("'a record' is not a record of use");
    assert_int_equal(add(&record, ""), CUBINET_OK);
    assert_int_equal(add(&record, "{\"cubinet_record\":2,\"future\":\"yes\"}\n"), CUBINET_ERROR_NEWER_FORMAT);
    expect_message("a later version");
    cbn_record_free(&record);
}

static void test_several_records_are_one(void **state)
{
    (void)state;
    struct cbn_record record = {0};
    assert_int_equal(add(&record, START ",\"kernel\":\"one\"}\n"), CUBINET_OK);
    assert_int_equal(add(&record, START ",\"kernel\":\"two\"}\n"), CUBINET_OK);
    assert_int_equal(record.count, 2);
    assert_string_equal(record.entries[0].kernel, "one");
    assert_string_equal(record.entries[1].kernel, "two");
    cbn_record_free(&record);
}

static void test_files_that_are_no_records(void **state)
{
    (void)state;
    struct cbn_record record = {0};
    char folder[] = "/tmp/test_record_XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(cbn_record_read(folder, &record), CUBINET_ERROR_IO);
    expect_message("is not a regular file");
    snprintf(path, sizeof(path), "%s/record", folder);
    assert_int_equal(cbn_record_read(path, &record), CUBINET_ERROR_IO);
    expect_message("can't read the record");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(cbn_record_read(path, &record), CUBINET_ERROR_IO);
    assert_int_equal(unlink(path), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(START "}\n", file);
    fflush(file);
    assert_int_equal(cbn_record_read(path, &record), CUBINET_OK);
    assert_int_equal(record.count, 1);
    assert_int_equal(ftruncate(fileno(file), (off_t)CBN_RECORD_MAX + 1), 0); /* with a hole */
    assert_int_equal(cbn_record_read(path, &record), CUBINET_ERROR_LIMIT);
    fclose(file);
    unlink(path);
    rmdir(folder);
    cbn_record_free(&record);
}

/* A line is whole, or is not written. */
static void test_memory_runs_out_for_a_line(void **state)
{
    (void)state;
    const struct cbn_record_entry entry = {.use = CBN_RECORD_KERNEL,
                                           .archive = "archive",
                                           .module = "module",
                                           .kernel = "kernel",
                                           .time = "2026"};
    size_t size = 0;
    size_t key_size = 0;
    for (unsigned int number = 1; number <= 3; number++) { /* two for the stream, one for more of it */
        allocations_watch(number);
        char *line = cbn_record_print(&entry, &size, &key_size);
        allocations_stop();
        assert_null(line);
        assert_int_equal(size, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read_back),
        cmocka_unit_test(test_bytes_that_are_not_utf8_become_characters),
        cmocka_unit_test(test_other_members_and_blanks_are_passed_over),
        cmocka_unit_test(test_damaged_lines_are_passed_over),
        cmocka_unit_test(test_a_nul_is_damage),
        cmocka_unit_test(test_a_record_cut_off_anywhere_is_read),
        cmocka_unit_test(test_what_is_no_record_is_refused),
        cmocka_unit_test(test_several_records_are_one),
        cmocka_unit_test(test_files_that_are_no_records),
        cmocka_unit_test(test_memory_runs_out_for_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
