/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive's makers said of it: read back, and refused where it breaks a rule. */
#include "archive/archive_writer.h"
#include "base/file.h"
#include "loader/core/archive/format.h"
#include "seal.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char *bytes;
static size_t size;

static int write_archive(void **state)
{
    (void)state;
    static const char *const properties[] = {"author=somebody", "license=Apache-2.0", "note=a note"};
    struct draft draft = {0};
    const cubinet_target target = {.kind = CUBINET_IMAGE_CUBIN, .number = 80};
    unsigned char *code = (unsigned char *)strdup("code");
    char path[] = "/tmp/cubinet-properties-XXXXXX";
    char *text = NULL;
    close(mkstemp(path));
    cubinet_status status = draft_add_image(draft_module(&draft, "m"), target, code, 4, NULL, "a test", NULL);
    for (size_t i = 0; !status && i < COUNT(properties); i++) {
        status = property_list_set(&draft.properties, properties[i]);
    }
    status = status ? status : archive_write_file(&draft, &(struct archive_writer_options){0}, path);
    status = status ? status : file_read(path, &text, &size);
    bytes = (unsigned char *)text;
    unlink(path);
    draft_free(&draft);
    return (int)status;
}

static int free_archive(void **state)
{
    (void)state;
    free(bytes);
    return 0;
}

static void are_read_and_found(void **state)
{
    (void)state;
    cubinet_archive *archive = NULL;
    cubinet_archive_info info = {.size = sizeof(info)};
    const char *key = NULL;
    const char *value = NULL;
    assert_int_equal(cubinet_archive_open_memory(bytes, size, NULL, &archive), CUBINET_OK);
    assert_int_equal(cubinet_archive_get_info(archive, &info), CUBINET_OK);
    assert_int_equal(info.property_count, 3);
    assert_int_equal(cubinet_archive_get_property(archive, 2, &key, &value), CUBINET_OK);
    assert_string_equal(key, "note");
    assert_string_equal(value, "a note");
    assert_int_equal(cubinet_archive_find_property(archive, "license", &value), CUBINET_OK);
    assert_string_equal(value, "Apache-2.0");
    assert_int_equal(cubinet_archive_get_property(archive, 3, &key, &value), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_find_property(archive, "licence", &value), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_property(NULL, 0, &key, &value), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_get_property(archive, 0, NULL, &value), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_get_property(archive, 0, &key, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_find_property(NULL, "note", &value), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_find_property(archive, NULL, &value), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_find_property(archive, "note", NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    cubinet_archive_close(archive);
}

/* The rows, three of two offsets. */
static unsigned char *rows(unsigned char *archive)
{
    unsigned char *index = memmem(archive, size, CBN_MAGIC, CBN_MAGIC_SIZE);
    unsigned char *entry = index + CBN_HEADER_SIZE + CBN_DIRECTORY_SIZE;
    while (cbn_get16(entry + CBN_ENTRY_ID) != CBN_TABLE_PROPERTIES) {
        entry += CBN_DIRECTORY_ENTRY_SIZE;
    }
    return index + cbn_get32(entry + CBN_ENTRY_OFFSET);
}

static void are_refused_where_they_break_a_rule(void **state)
{
    (void)state;
    static const struct {
        size_t row;
        size_t offset;
        uint32_t value;
        const char *text;
    } changes[] = {
        {0, CBN_PROPERTY_KEY, 0, "property number 0 is malformed or misplaced"},
        {1, CBN_PROPERTY_KEY, 0xffff, "property number 1 is malformed or misplaced"},
        {2, CBN_PROPERTY_VALUE, 0xffff, "property number 2 is malformed or misplaced"},
    };
    unsigned char *changed = malloc(size);
    assert_non_null(changed);
    for (size_t i = 0; i <= COUNT(changes); i++) {
        cubinet_archive *archive = NULL;
        memcpy(changed, bytes, size);
        unsigned char *row = rows(changed);
        if (i < COUNT(changes)) {
            cbn_put32(row + changes[i].row * CBN_PROPERTY_SIZE + changes[i].offset, changes[i].value);
        } else {
            memcpy(row + CBN_PROPERTY_SIZE, row, CBN_PROPERTY_SIZE); /* a key twice */
        }
        seal(changed, size);
        assert_int_equal(cubinet_archive_open_memory(changed, size, NULL, &archive), CUBINET_ERROR_DAMAGED);
        assert_non_null(strstr(cubinet_error_message(), i < COUNT(changes) ? changes[i].text : "number 1"));
    }
    free(changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_read_and_found),
        cmocka_unit_test(are_refused_where_they_break_a_rule),
    };
    return cmocka_run_group_tests(tests, write_archive, free_archive);
}
