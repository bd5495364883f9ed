/* SPDX-License-Identifier: Apache-2.0 */
/* The zip file around the index. */
#include "format_changes.h"

#include "unit.h"

#include <string.h>

/* The row of an entry in the zip directory. */
static unsigned char *zip_row(const struct built *built, size_t number)
{
    unsigned char *row = built->bytes + get(built->bytes + built->size - 6, 4);
    for (; number > 0; number--) {
        row += 46 + get(row + 28, 2) + get(row + 30, 2) + get(row + 32, 2);
    }
    return row;
}

static unsigned char *zip_header(const struct built *built, size_t number)
{
    return built->bytes + get(zip_row(built, number) + 42, 4);
}

static size_t last_entry(const struct built *built)
{
    return get(built->bytes + built->size - 12, 2) - 1;
}

/* In the end record, after something got longer. */
static void move_directory(struct built *built, size_t by, size_t longer)
{
    unsigned char *end = built->bytes + built->size - 22;
    put(end + 12, 4, get(end + 12, 4) + longer);
    put(end + 16, 4, get(end + 16, 4) + by);
}

static void compress_entry(struct built *built)
{
    put(zip_row(built, 1) + 10, 2, 8);
}

static void rename_entry(struct built *built)
{
    zip_row(built, 1)[46]++;
    zip_header(built, 1)[30]++;
}

static void rename_extension(struct built *built)
{
    unsigned char *row = zip_row(built, 1);
    unsigned char *header = zip_header(built, 1);
    size_t size = get(row + 28, 2);
    row[46 + size - 1]++;
    header[30 + size - 1]++;
}

static void lie_about_a_size(struct built *built)
{
    unsigned char *row = zip_row(built, 1);
    put(row + 24, 4, get(row + 24, 4) - 1);
}

static void lie_in_a_header(struct built *built)
{
    zip_header(built, 1)[12]++;
}

static void give_another_time(struct built *built)
{
    zip_row(built, 1)[14]++;
    zip_header(built, 1)[12]++;
}

static void add_comment(struct built *built)
{
    size_t place = (size_t)(zip_row(built, last_entry(built)) - built->bytes);
    insert_bytes(built, built->size - 22, 4);
    put(built->bytes + place + 32, 2, 4);
    move_directory(built, 0, 4);
}

static void add_extra_field(struct built *built)
{
    size_t place = (size_t)(zip_row(built, last_entry(built)) - built->bytes);
    insert_bytes(built, built->size - 22, 4);
    put(built->bytes + built->size - 26, 2, 0x5455); /* the extended time */
    put(built->bytes + place + 30, 2, 4);
    move_directory(built, 0, 4);
}

static void insert_before_directory(struct built *built)
{
    insert_bytes(built, get(built->bytes + built->size - 6, 4), 8);
    move_directory(built, 8, 0);
}

static void insert_before_last_entry(struct built *built)
{
    size_t row = built_row(built, TILE, 0x8020, 0);
    insert_bytes(built, get(zip_row(built, last_entry(built)) + 42, 4), 8);
    move_directory(built, 8, 0);
    unsigned char *entry = zip_row(built, last_entry(built));
    put(entry + 42, 4, get(entry + 42, 4) + 8);
    put(built->bytes + row + 16, 8, get(built->bytes + row + 16, 8) + 8);
}

static void add_zip_comment(struct built *built)
{
    insert_bytes(built, built->size, 4);
    put(built->bytes + built->size - 6, 2, 4);
}

static void store_equal_images(struct built *built)
{
    size_t size = get(row_of(built, PAIR_1, 0x8020, 0) + 24, 8);
    memcpy(stored_bytes(built, PAIR_2, 0), stored_bytes(built, PAIR_1, 0), size);
}

static void swap_images(struct built *built)
{
    swap_bytes(row_of(built, PAIR_1, 0x8020, 0) + 16, row_of(built, PAIR_2, 0x8020, 0) + 16, 8);
}

static const struct format_case cases[] = {
    /* A zip file */
    {.quote = "a zip file that any zip tool lists",
     .message = "the zip directory has no end record",
     .changes = {END(22, 1, 'Q')},
     .seal = NONE},
    {.quote = "Every entry is *stored*", .message = "is not stored unchanged", .alter = compress_entry},
    {.quote = "`cubinet.index` | the index; always the first entry",
     .message = "it starts with 'dubinet.index'",
     .changes = {FILE_AT(30, 1, 'd')},
     .seal = NONE},
    {.quote = "`MODULE/TARGET.EXT`", .message = "stands where the index has", .alter = rename_extension},
    {.quote = "`MODULE/images.zst`",
     .message = "stands where the index has",
     .base = PACKED,
     .alter = rename_extension,
     .seal = NONE},
    {.quote = "are stored once",
     .message = "its bytes are stored a second time",
     .alter = store_equal_images},
    {.quote = "In entry names", .message = "stands where the index has 'code/", .alter = rename_entry},
    {.quote = "A module has at most one image for each target",
     .message = "image 1: malformed or misplaced target",
     .changes = {ROW(TEXT, 0x8020, TEXT_LTOIR, 0, 1, 2)}},
    {.quote = "Entries are in the byte order of their modules' names",
     .message = "does not lie in the order of modules",
     .alter = swap_images},
    {.quote = "no extra field but zip64's",
     .message = "has a comment or an extra field",
     .alter = add_extra_field},
    {.quote = "and no comment", .message = "has a comment or an extra field", .alter = add_comment},
    {.quote = "The header before an entry agrees with its row",
     .message = "the header before it and the zip directory say different",
     .alter = lie_in_a_header},
    {.quote = "Nothing lies between the entries",
     .message = "there are bytes beside the zip directory",
     .alter = insert_before_directory},
    {.quote = "Nothing lies between the entries",
     .message = "there are bytes before it",
     .alter = insert_before_last_entry},
    {.quote = "directory and its end record",
     .message = "there are bytes beside the zip directory",
     .alter = add_zip_comment},
    {.quote = "Every entry has the same fixed time",
     .message = "has another time than",
     .alter = give_another_time},
    {.quote = "The index starts at file offset 30",
     .message = "its 'cubinet.index' is something else",
     .changes = {FILE_AT(28, 2, 4)},
     .seal = NONE},
    {.quote = "A file is an archive if it starts with",
     .message = "it is not a zip file",
     .changes = {FILE_AT(0, 1, 'Q')},
     .seal = NONE},
    {.quote = "`cubinet verify` checks that the index and the zip structure agree",
     .message = "by the index it has",
     .alter = lie_about_a_size},
};
const struct format_cases format_zip_cases = {cases, COUNT(cases)};
