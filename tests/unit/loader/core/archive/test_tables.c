/* SPDX-License-Identifier: Apache-2.0 */
/* Table sets: each rule of where their tables lie, at its limit and beyond it, and the strings in them. */
#include "loader/core/archive/tables.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECTORY = 8, REQUIRED = 0x8010, OPTIONAL = 0x0020 };

struct entry {
    unsigned id, stride;
    uint32_t offset, count;
};

enum { STRINGS, NUMBERS, EXTRAS, KINDS };

static const struct cbn_table_kind kinds[KINDS] = {
    [STRINGS] = {CBN_TABLE_STRINGS, 1}, [NUMBERS] = {REQUIRED, 8}, [EXTRAS] = {OPTIONAL, 4}};

/* Reads a set of three tables that starts with a few bytes of something else, in memory that ends where it
 * ends. */
static cubinet_status read_set(const struct entry entries[KINDS], uint32_t size, const char *text,
                               struct cbn_table tables[KINDS], unsigned char **out_set)
{
    unsigned char *set = calloc(1, size);
    cbn_put16(set + DIRECTORY, KINDS);
    for (size_t i = 0; i < KINDS; i++) {
        unsigned char *at = set + DIRECTORY + CBN_DIRECTORY_SIZE + i * CBN_DIRECTORY_ENTRY_SIZE;
        cbn_put16(at + CBN_ENTRY_ID, (uint16_t)entries[i].id);
        cbn_put16(at + CBN_ENTRY_STRIDE, (uint16_t)entries[i].stride);
        cbn_put32(at + CBN_ENTRY_OFFSET, entries[i].offset);
        cbn_put32(at + CBN_ENTRY_COUNT, entries[i].count);
        if (entries[i].id == CBN_TABLE_STRINGS && text) {
            memcpy(set + entries[i].offset, text, entries[i].count);
        }
    }
    *out_set = set;
    return cbn_tables_read(set, size, DIRECTORY, kinds, KINDS, tables);
}

enum { START = DIRECTORY + CBN_DIRECTORY_SIZE + 3 * CBN_DIRECTORY_ENTRY_SIZE, SIZE = START + 32 };

#define SOUND                                                                                                \
    {CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 8, START + 8, 2},                                           \
    {                                                                                                        \
        OPTIONAL, 4, START + 24, 2                                                                           \
    }
#define TEXT "\0ab\0c\0"

static const struct {
    const char *message; /* NULL: it is sound */
    struct entry entries[KINDS];
    const char *text;
    uint32_t size;
    cubinet_status status;
} cases[] = {
    {NULL, {SOUND}, TEXT, SIZE, CUBINET_OK},
    {"table 0x0020 lies outside its set", {SOUND}, TEXT, SIZE - 1, CUBINET_ERROR_DAMAGED},
    {"table 0x8001 lies outside its set",
     {{CBN_TABLE_STRINGS, 1, START - 8, 6}, {REQUIRED, 8, START + 8, 2}, {OPTIONAL, 4, START + 24, 2}},
     NULL,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {"table 0x8010 lies outside its set",
     {{CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 0xffff, START + 8, UINT32_MAX}, {OPTIONAL, 4, START, 0}},
     TEXT,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {"table 0x8010 is not aligned",
     {{CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 8, START + 12, 1}, {OPTIONAL, 4, START + 24, 2}},
     TEXT,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {"table 0x8010 is not aligned",
     {{CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 8, START + 9, 1}, {OPTIONAL, 4, START + 24, 2}},
     TEXT,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {"table 0x8010 is out of order",
     {{CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 8, START + 8, 2}, {REQUIRED, 8, START + 24, 1}},
     TEXT,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {"table 0x0010 is out of order", /* the bit that says required does not count */
     {{CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 8, START + 8, 2}, {0x0010, 8, START + 24, 1}},
     TEXT,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {"table 0x8010 is out of order",
     {{CBN_TABLE_STRINGS, 1, START, 6}, {OPTIONAL, 4, START + 24, 2}, {REQUIRED, 8, START + 8, 2}},
     TEXT,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {"tables 0x8001 and 0x0020 overlap", /* not with the one between them */
     {{CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 8, START + 8, 2}, {OPTIONAL, 4, START, 1}},
     TEXT,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {NULL, /* in any order, one where the other ends */
     {{CBN_TABLE_STRINGS, 1, START + 24, 6}, {REQUIRED, 8, START + 8, 2}, {OPTIONAL, 4, START, 2}},
     TEXT,
     SIZE,
     CUBINET_OK},
    {NULL,
     {{CBN_TABLE_STRINGS, 1, START, 1}, {REQUIRED, 8, START + 8, 1}, {OPTIONAL, 4, SIZE, 0}},
     "",
     SIZE,
     CUBINET_OK},
    {NULL, /* longer rows are a newer writer's */
     {{CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 16, START + 8, 1}, {OPTIONAL, 8, START + 24, 1}},
     TEXT,
     SIZE,
     CUBINET_OK},
    {NULL, /* without strings */
     {{0x0002, 1, START, 6}, {REQUIRED, 8, START + 8, 1}, {OPTIONAL, 4, START + 24, 2}},
     NULL,
     SIZE,
     CUBINET_OK},
    {"table 0x8010 has rows of 7 bytes, less than 8",
     {{CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 7, START + 8, 1}, {OPTIONAL, 4, START + 24, 2}},
     TEXT,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {NULL,
     {{CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 8, START + 8, 1}, {0x0042, 4, START + 24, 2}},
     TEXT,
     SIZE,
     CUBINET_OK},
    {"it has a required table 0x8042, which is unknown here",
     {{CBN_TABLE_STRINGS, 1, START, 6}, {REQUIRED, 8, START + 8, 1}, {0x8042, 4, START + 24, 2}},
     TEXT,
     SIZE,
     CUBINET_ERROR_NEWER_FORMAT},
    {"the string table does not start and end with NUL",
     {{CBN_TABLE_STRINGS, 2, START, 3}, {REQUIRED, 8, START + 8, 2}, {OPTIONAL, 4, START + 24, 2}},
     NULL,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {"the string table does not start and end with NUL", {SOUND}, "a\0b\0c", SIZE, CUBINET_ERROR_DAMAGED},
    {"the string table does not start and end with NUL", {SOUND}, "\0ab\0cd", SIZE, CUBINET_ERROR_DAMAGED},
    {"the string table does not start and end with NUL", /* not after its end */
     {{CBN_TABLE_STRINGS, 1, START, 5}, {REQUIRED, 8, START + 8, 2}, {OPTIONAL, 4, START + 24, 2}},
     TEXT,
     SIZE,
     CUBINET_ERROR_DAMAGED},
    {NULL, {SOUND}, "\0a\nb\0", SIZE, CUBINET_OK},
    {"its strings have a control character, or bytes that are not UTF-8: byte 0x1b at offset 4",
     {SOUND},
     "\0abc\x1b",
     SIZE,
     CUBINET_ERROR_DAMAGED},
};

static void tables_lie_where_they_may(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cbn_table tables[KINDS];
        unsigned char *set = NULL;
        memset(tables, 0x5a, sizeof(tables));
        cubinet_status status = read_set(cases[i].entries, cases[i].size, cases[i].text, tables, &set);
        if (status != cases[i].status) {
            fail_msg("case %zu: %s (%s)", i, cubinet_status_name(status), cubinet_error_message());
        }
        if (status) {
            assert_string_equal(cubinet_error_message(), cases[i].message);
        }
        for (size_t j = 0; !status && j < KINDS; j++) {
            const struct entry *entry = &cases[i].entries[j];
            bool is_known = entry->id == kinds[j].id && entry->count > 0;
            assert_int_equal(tables[j].count, is_known ? entry->count : 0);
            assert_int_equal(tables[j].stride, is_known ? entry->stride : 0);
            assert_ptr_equal(tables[j].rows, is_known ? set + entry->offset : NULL);
        }
        free(set);
    }
}

/* Reads a directory of empty tables from the first bytes of its set; `set_byte` of it is not 0. */
static cubinet_status read_directory(uint32_t count, uint32_t size, size_t set_byte)
{
    static unsigned char whole[4096];
    struct cbn_table tables[KINDS];
    uint32_t end = DIRECTORY + CBN_DIRECTORY_SIZE + count * CBN_DIRECTORY_ENTRY_SIZE;
    memset(whole, 0, sizeof(whole));
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *entry = whole + DIRECTORY + CBN_DIRECTORY_SIZE + i * CBN_DIRECTORY_ENTRY_SIZE;
        cbn_put16(entry + CBN_ENTRY_ID, (uint16_t)(0x100 + i));
        cbn_put16(entry + CBN_ENTRY_STRIDE, 1);
        cbn_put32(entry + CBN_ENTRY_OFFSET, (uint32_t)cbn_align(end));
    }
    cbn_put16(whole + DIRECTORY, (uint16_t)count);
    whole[DIRECTORY + 2] = set_byte == 2;
    whole[DIRECTORY + 3] = set_byte == 3;
    unsigned char *set = malloc(size ? size : 1);
    memcpy(set, whole, size);
    cubinet_status status = cbn_tables_read(set, size, DIRECTORY, kinds, KINDS, tables);
    free(set);
    return status;
}

static void expect_malformed(uint32_t count, uint32_t size, size_t set_byte)
{
    assert_int_equal(read_directory(count, size, set_byte), CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(), "its table directory is malformed");
}

static void directory_has_room(void **state)
{
    (void)state;
    enum { EMPTY = DIRECTORY + CBN_DIRECTORY_SIZE, ONE = EMPTY + CBN_DIRECTORY_ENTRY_SIZE };
    static const uint32_t small[] = {0, DIRECTORY - 1, DIRECTORY, EMPTY - 1};
    for (size_t i = 0; i < COUNT(small); i++) {
        assert_int_equal(read_directory(0, small[i], 0), CUBINET_ERROR_DAMAGED);
        assert_string_equal(cubinet_error_message(), "it has no room for a table directory");
    }
    assert_int_equal(read_directory(0, EMPTY, 0), CUBINET_OK);
    expect_malformed(1, EMPTY, 0);
    expect_malformed(1, ONE - 1, 0);
    assert_int_equal(read_directory(1, ONE, 0), CUBINET_OK); /* of a table without rows, right after it */
    expect_malformed(1, ONE, 2);
    expect_malformed(1, ONE, 3);
    uint32_t most = EMPTY + CBN_DIRECTORY_MAX * CBN_DIRECTORY_ENTRY_SIZE + 8;
    assert_int_equal(read_directory(CBN_DIRECTORY_MAX, most, 0), CUBINET_OK);
    expect_malformed(CBN_DIRECTORY_MAX + 1, most + CBN_DIRECTORY_ENTRY_SIZE, 0);
}

static const char words[] = "\0ab\0\xc3\xa9\0c\nd\0\xc3\x80";

static void strings_take_room(void **state)
{
    (void)state;
    const struct cbn_table strings = {(const unsigned char *)words, 1, sizeof(words)};
    static const struct {
        uint32_t offset;
        uint64_t room, left;
        const char *string, *name; /* NULL: refused */
    } takes[] = {
        {0, 1, 0, "", ""},
        {0, 0, 0, NULL, NULL},
        {1, 100, 97, "ab", "ab"},
        {1, 3, 0, "ab", "ab"},
        {1, 2, 2, NULL, NULL},
        {2, 100, 98, "b", "b"},
        {4, 100, 97, "\xc3\xa9", "\xc3\xa9"},
        {5, 100, 100, NULL, NULL}, /* inside a character */
        {7, 100, 96, "c\nd", NULL},
        {12, 100, 100, NULL, NULL}, /* whose lowest bit is 0 */
        {sizeof(words) - 1, 100, 99, "", ""},
        {sizeof(words), 100, 100, NULL, NULL},
        {UINT32_MAX, 100, 100, NULL, NULL},
    };
    for (size_t i = 0; i < COUNT(takes); i++) {
        uint64_t room = takes[i].room;
        const char *string = cbn_take_string(&strings, takes[i].offset, &room);
        assert_int_equal(room, takes[i].left);
        assert_true(takes[i].string ? string && strcmp(string, takes[i].string) == 0 : !string);
        room = takes[i].room;
        const char *name = cbn_take_name(&strings, takes[i].offset, &room);
        assert_true(takes[i].name ? name && strcmp(name, takes[i].name) == 0 : !name);
    }
}

static void modules_names_have_a_limit(void **state)
{
    (void)state;
    static char text[CBN_MODULE_NAME_MAX + 3]; /* "", and a name a byte too long */
    memset(text + 1, 'a', CBN_MODULE_NAME_MAX + 1);
    const struct cbn_table strings = {(const unsigned char *)text, 1, sizeof(text)};
    uint64_t room = UINT32_MAX;
    assert_null(cbn_take_module_name(&strings, 1, &room));
    assert_ptr_equal(cbn_take_module_name(&strings, 2, &room), text + 2);
    assert_ptr_equal(cbn_take_module_name(&strings, 0, &room), text);
    assert_null(cbn_take_module_name(&strings, sizeof(text), &room));
}

static void strings_are_found(void **state)
{
    (void)state;
    enum { ROW = 8, FIELD = 4, MOST = 9 };
    static const char text[] = "\0a\0b\0c\0d\0e\0f\0g\0h\0i";
    const struct cbn_table strings = {(const unsigned char *)text, 1, sizeof(text)};
    for (uint32_t count = 0; count <= MOST; count++) {
        unsigned char rows[(MOST + 1) * ROW] = {0};
        const struct cbn_table table = {rows, ROW, count};
        for (uint32_t i = 0; i < count; i++) {
            cbn_put32(rows + i * ROW, 1000);
            cbn_put32(rows + i * ROW + FIELD, 1 + 2 * i);
        }
        for (uint32_t i = 0; i < MOST; i++) {
            const char wanted[] = {(char)('a' + i), '\0'};
            const char after[] = {(char)('a' + i), 'x', '\0'};
            uint32_t row = 77;
            assert_int_equal(cbn_find_string(&table, &strings, FIELD, wanted, &row), i < count);
            assert_int_equal(row, i < count ? i : 77);
            row = 77;
            assert_false(cbn_find_string(&table, &strings, FIELD, after, &row));
            assert_false(cbn_find_string(&table, &strings, FIELD, "", &row));
            assert_int_equal(row, 77);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_lie_where_they_may), cmocka_unit_test(directory_has_room),
        cmocka_unit_test(strings_take_room),         cmocka_unit_test(modules_names_have_a_limit),
        cmocka_unit_test(strings_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
