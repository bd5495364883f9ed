/* SPDX-License-Identifier: Apache-2.0 */
/* In the order of the page. Numbers are the page's own: nothing here comes from the library's headers. */
#include "format_cases.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define ROW(set, table, row, offset, width, value)                                                           \
    {                                                                                                        \
        IN_ROW, set, table, row, offset, width, value                                                        \
    }
#define ENTRY(set, table, offset, width, value)                                                              \
    {                                                                                                        \
        IN_ENTRY, set, table, 0, offset, width, value                                                        \
    }
#define SET(set, offset, width, value)                                                                       \
    {                                                                                                        \
        IN_SET, set, 0, 0, offset, width, value                                                              \
    }
#define FILE_AT(offset, width, value)                                                                        \
    {                                                                                                        \
        IN_FILE, 0, 0, 0, offset, width, value                                                               \
    }
#define END(offset, width, value)                                                                            \
    {                                                                                                        \
        BEFORE_END, 0, 0, 0, offset, width, value                                                            \
    }

#define ROOT BUILT_ROOT
enum { FAR = 0x00ffffff }; /* an offset that no string table reaches */

/* Zip. */

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

/* Makes room for bytes, which are zero. */
static void insert(struct built *built, size_t place, size_t size)
{
    built->bytes = realloc(built->bytes, built->size + size);
    assert_non_null(built->bytes);
    memmove(built->bytes + place + size, built->bytes + place, built->size - place);
    memset(built->bytes + place, 0, size);
    built->size += size;
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
    insert(built, built->size - 22, 4);
    put(built->bytes + place + 32, 2, 4);
    move_directory(built, 0, 4);
}

static void add_extra_field(struct built *built)
{
    size_t place = (size_t)(zip_row(built, last_entry(built)) - built->bytes);
    insert(built, built->size - 22, 4);
    put(built->bytes + built->size - 26, 2, 0x5455); /* the extended time */
    put(built->bytes + place + 30, 2, 4);
    move_directory(built, 0, 4);
}

static void insert_before_directory(struct built *built)
{
    insert(built, get(built->bytes + built->size - 6, 4), 8);
    move_directory(built, 8, 0);
}

static void insert_before_last_entry(struct built *built)
{
    size_t row = built_row(built, TILE, 0x8020, 0);
    insert(built, get(zip_row(built, last_entry(built)) + 42, 4), 8);
    move_directory(built, 8, 0);
    unsigned char *entry = zip_row(built, last_entry(built));
    put(entry + 42, 4, get(entry + 42, 4) + 8);
    put(built->bytes + row + 16, 8, get(built->bytes + row + 16, 8) + 8);
}

static void add_zip_comment(struct built *built)
{
    insert(built, built->size, 4);
    put(built->bytes + built->size - 6, 2, 4);
}

/* Bytes. */

static unsigned char *row_of(const struct built *built, int set, uint16_t table, size_t row)
{
    return built->bytes + built_row(built, set, table, row);
}

static unsigned char *stored_bytes(const struct built *built, int module, size_t image)
{
    return built->bytes + get(row_of(built, module, 0x8020, image) + 16, 8);
}

/* The first place of a text in a set's strings, to be altered. */
static char *find_text(const struct built *built, int set, const char *text)
{
    char *strings = (char *)row_of(built, set, 0x8001, 0);
    char *found =
        memmem(strings, get(built->bytes + built_entry(built, set, 0x8001) + 8, 4), text, strlen(text));
    assert_non_null(found);
    return found;
}

static void swap(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void store_equal_images(struct built *built)
{
    size_t size = get(row_of(built, PAIR_1, 0x8020, 0) + 24, 8);
    memcpy(stored_bytes(built, PAIR_2, 0), stored_bytes(built, PAIR_1, 0), size);
}

static void swap_images(struct built *built)
{
    swap(row_of(built, PAIR_1, 0x8020, 0) + 16, row_of(built, PAIR_2, 0x8020, 0) + 16, 8);
}

static void append_byte(struct built *built)
{
    insert(built, built->size, 1);
}

static void cut_byte(struct built *built)
{
    built->size--;
}

static void spoil_root_digest(struct built *built)
{
    built->bytes[built->index + 40] ^= 1;
}

static void reverse_root_digest(struct built *built)
{
    unsigned char *digest = built->bytes + built->index + 32;
    for (size_t i = 0; i < 8; i++) {
        swap(digest + i, digest + 15 - i, 1);
    }
}

static void spoil_block_digest(struct built *built)
{
    row_of(built, ROOT, 0x8011, CODE)[16] ^= 1;
}

static void spoil_page_digest(struct built *built)
{
    row_of(built, ROOT, 0x8012, 0)[16] ^= 1;
}

static void spoil_block_digest_of_page(struct built *built)
{
    row_of(built, BUILT_PAGE(0), 0x8011, CODE)[16] ^= 1;
}

static void spoil_image_digest(struct built *built)
{
    row_of(built, CODE, 0x8020, 0)[40] ^= 1;
}

/* Tables. */

static void swap_module_names(struct built *built)
{
    swap(row_of(built, ROOT, 0x8011, 0), row_of(built, ROOT, 0x8011, 1), 4);
}

static void swap_page_names(struct built *built)
{
    swap(row_of(built, ROOT, 0x8012, 0), row_of(built, ROOT, 0x8012, 1), 4);
}

static void swap_properties(struct built *built)
{
    swap(row_of(built, ROOT, 0x001a, 0), row_of(built, ROOT, 0x001a, 1), 8);
}

static void swap_kernels(struct built *built)
{
    swap(row_of(built, TEXT, 0x8021, 0), row_of(built, TEXT, 0x8021, 1), 8);
}

static void swap_resources(struct built *built)
{
    swap(row_of(built, TEXT, 0x8022, 0) + 4, row_of(built, TEXT, 0x8022, 1) + 4, 4);
}

static void swap_globals(struct built *built)
{
    swap(row_of(built, TEXT, 0x8024, 0), row_of(built, TEXT, 0x8024, 1), 24);
}

static void swap_pieces(struct built *built)
{
    swap(row_of(built, LINK, 0x0025, 0), row_of(built, LINK, 0x0025, 1), 4);
}

static void swap_symbols(struct built *built)
{
    swap(row_of(built, LINK, 0x0026, LINK_HELPER), row_of(built, LINK, 0x0026, LINK_STATE), 16);
}

static void swap_kernel_expressions(struct built *built)
{
    swap(row_of(built, TEXT, 0x8021, TEXT_FLOAT) + 4, row_of(built, TEXT, 0x8021, TEXT_INT) + 4, 4);
}

static void swap_global_expressions(struct built *built)
{
    swap(row_of(built, TEXT, 0x8024, TEXT_COUNT) + 4, row_of(built, TEXT, 0x8024, TEXT_TABLE) + 4, 4);
}

static void overlap_tables(struct built *built)
{
    unsigned char *entry = built->bytes + built_entry(built, TEXT, 0x0031);
    put(entry + 4, 4, get(built->bytes + built_entry(built, TEXT, 0x8020) + 4, 4));
}

static void end_strings_early(struct built *built)
{
    unsigned char *entry = built->bytes + built_entry(built, CODE, 0x8001);
    row_of(built, CODE, 0x8001, 0)[get(entry + 8, 4) - 1] = 'x';
}

/* Behind the strings of the first block where these leave a gap. */
static void fill_gap(struct built *built)
{
    for (int module = 0; module < PLAIN_MODULES; module++) {
        const unsigned char *entry = built->bytes + built_entry(built, module, 0x8001);
        size_t end = get(entry + 4, 4) + get(entry + 8, 4);
        if (end % 8 != 0) {
            built->bytes[built_set(built, module) + end] = 1;
            return;
        }
    }
    fail();
}

/* Leaves the last row of a table out. */
static void leave_out(struct built *built, int set, uint16_t table)
{
    unsigned char *entry = built->bytes + built_entry(built, set, table);
    put(entry + 8, 4, get(entry + 8, 4) - 1);
}

static void leave_out_global_before_others(struct built *built)
{
    leave_out(built, TEXT, 0x8024);
}

static void leave_out_last_global(struct built *built)
{
    leave_out(built, CODE, 0x8024);
}

static void leave_out_resource(struct built *built)
{
    leave_out(built, CODE, 0x8022);
}

static void leave_out_module_seal(struct built *built)
{
    leave_out(built, ROOT, 0x0018);
}

static void leave_out_image_seal(struct built *built)
{
    leave_out(built, TEXT, 0x0030);
}

/* Makes the last bytes of the root's strings room for the table: properties, whose strings they are, have to
 * go. */
static void sign_seventeen_times(struct built *built)
{
    unsigned char *strings = built->bytes + built_entry(built, ROOT, 0x8001);
    unsigned char *signatures = built->bytes + built_entry(built, ROOT, 0x0019);
    size_t count = get(strings + 8, 4) - FORMAT_LONG_TEXT;
    row_of(built, ROOT, 0x8001, 0)[count - 1] = '\0';
    put(strings + 8, 4, count);
    put(signatures + 4, 4, (get(strings + 4, 4) + count + 7) / 8 * 8);
    put(signatures + 8, 4, 17);
    put(built->bytes + built_entry(built, ROOT, 0x001a) + 8, 4, 0);
}

/* Of four properties one row of modules. */
static void list_modules_and_pages(struct built *built)
{
    unsigned char *pages = built->bytes + built_entry(built, ROOT, 0x8012);
    unsigned char *properties = built->bytes + built_entry(built, ROOT, 0x001a);
    swap(pages, properties, 12);
    put(pages, 2, 0x8011);
    put(pages + 2, 2, 32);
    put(pages + 8, 4, 1);
}

/* Fills the first gap between a block and what follows it in the index. */
static void fill_gap_of_blocks(struct built *built)
{
    for (size_t i = 0; i + 1 < built->module_count; i++) {
        const unsigned char *row = built->bytes + built_module_row(built, i);
        size_t end = get(row + 4, 4) + get(row + 8, 4);
        if (end % 8 != 0) {
            built->bytes[built_set(built, (int)i) + get(row + 8, 4)] = 1;
            return;
        }
    }
    fail();
}

static void fill_gap_before_page(struct built *built)
{
    size_t page = built_set(built, BUILT_PAGE(1));
    size_t last = built->page_modules - 1;
    const unsigned char *row = built->bytes + built_module_row(built, last);
    assert_true(built_set(built, (int)last) + get(row + 8, 4) < page);
    built->bytes[page - 1] = 1;
}

static void share_a_string(struct built *built)
{
    unsigned char *options = row_of(built, TEXT, 0x0032, 0) + 4;
    put(options, 4, get(options, 4) + 1); /* "O3" of "-O3" */
}

static void rename_page(struct built *built)
{
    unsigned char *name = row_of(built, ROOT, 0x8012, 1);
    row_of(built, ROOT, 0x8001, get(name, 4))[2]--;
}

static void write_no_licence(struct built *built)
{
    find_text(built, ROOT, "Apache-2.0")[4] = ' ';
}

static void write_a_folder(struct built *built)
{
    find_text(built, TEXT, "text.cu")[1] = '/';
}

static void write_no_type(struct built *built)
{
    find_text(built, LINK, "b32(b32)")[7] = '}';
}

static void write_another_type(struct built *built)
{
    find_text(built, LINK, "b32(b32)")[6] = '3';
}

static void write_no_type_of_variable(struct built *built)
{
    find_text(built, LINK, "b8[4]")[2] = '(';
}

static void write_no_utf8(struct built *built)
{
    find_text(built, TEXT, "text.cu")[0] = (char)0xff;
}

/* A flag in the head of a zstd frame says whether a checksum ends it. */
static void drop_checksum(struct built *built)
{
    stored_bytes(built, 0, 1)[4] &= (unsigned char)~4;
}

static void spoil_packed_block(struct built *built)
{
    const unsigned char *row = row_of(built, ROOT, 0x8011, LINK);
    built->bytes[built_set(built, LINK) + get(row + 8, 4) / 2] ^= 0x55;
}

static void grow_packed_block(struct built *built)
{
    unsigned char *row = row_of(built, ROOT, 0x8011, CODE);
    put(row + 12, 4, get(row + 12, 4) + 1);
}

/* Adds to a number of a row. */
static void add_to(struct built *built, int set, uint16_t table, size_t row, size_t offset)
{
    unsigned char *place = row_of(built, set, table, row) + offset;
    put(place, 4, get(place, 4) + 8);
}

static void move_page(struct built *built)
{
    add_to(built, ROOT, 0x8012, 0, 4);
}

static void lengthen_page(struct built *built)
{
    add_to(built, ROOT, 0x8012, 0, 8);
}

static void move_block(struct built *built)
{
    add_to(built, ROOT, 0x8011, 0, 4);
}

static void lengthen_block(struct built *built)
{
    add_to(built, ROOT, 0x8011, 0, 8);
}

static void lengthen_root(struct built *built)
{
    unsigned char *size = built->bytes + built->index + 28;
    put(size, 4, get(size, 4) + 8);
}

static void lengthen_index(struct built *built)
{
    unsigned char *size = built->bytes + built->index + 24;
    put(size, 4, get(size, 4) + 8);
}

static void move_image(struct built *built)
{
    unsigned char *place = row_of(built, PAIR_1, 0x8020, 0) + 16;
    put(place, 8, get(place, 8) + 1);
}

static void move_image_to_the_end(struct built *built)
{
    put(row_of(built, PAIR_1, 0x8020, 0) + 16, 8, built->size);
}

const struct format_case format_cases[] = {
    {.quote = "a NUL-terminated UTF-8 string in the string table",
     .message = "kernel 0: missing, malformed or misplaced name",
     .changes = {ROW(TEXT, 0x8021, 0, 0, 4, FAR)}},

    /* A zip file */
    {.quote = "a zip file that any zip tool lists",
     .message = "the zip directory has no end record",
     .changes = {END(22, 1, 'Q')},
     .seal = NONE},
    {.quote = "Every entry is *stored*", .message = "is not stored as it is", .alter = compress_entry},
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
    {.quote = "Two images of one module with the same target",
     .message = "image 1: malformed or misplaced target",
     .changes = {ROW(TEXT, 0x8020, TEXT_LTOIR, 0, 1, 2)}},
    {.quote = "Modules are filed in the byte order of their names",
     .message = "does not lie in the order of modules",
     .alter = swap_images},
    {.quote = "no extra field but zip64's",
     .message = "has a comment or an extra field",
     .alter = add_extra_field},
    {.quote = "and no comment", .message = "has a comment or an extra field", .alter = add_comment},
    {.quote = "The header before an entry says",
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
    {.quote = "Every one has the same fixed time",
     .message = "has another time than",
     .alter = give_another_time},
    {.quote = "The index starts at file offset 30",
     .message = "its 'cubinet.index' is something else",
     .changes = {FILE_AT(28, 2, 4)},
     .seal = NONE},
    {.quote = "A file is an archive if it starts with",
     .message = "it is no zip file",
     .changes = {FILE_AT(0, 1, 'Q')},
     .seal = NONE},
    {.quote = "`cubinet verify` checks that both say the same",
     .message = "by the index it has",
     .alter = lie_about_a_size},

    /* The index */
    {.quote = "The root's digest covers the root",
     .message = "its index does not have the digest it promises",
     .seal = FROM_ZIP,
     .alter = spoil_root_digest},
    {.quote = "the root holds the digest of each block or page",
     .message = "module 'code': it does not have the digest that the archive says",
     .seal = FROM_ROOT,
     .alter = spoil_block_digest},
    {.quote = "the root holds the digest of each block or page",
     .message = "it does not have the digest that the archive says",
     .base = PAGED,
     .seal = FROM_ROOT,
     .alter = spoil_page_digest},
    {.quote = "a page holds the digest of each of its blocks",
     .message = "from 'code' on: it does not have the digest",
     .base = PAGED,
     .seal = FROM_ROOT,
     .alter = spoil_block_digest_of_page},
    {.quote = "a block holds the digest of each image",
     .message = "its bytes do not have the digest that the index says",
     .seal = FROM_BLOCKS,
     .alter = spoil_image_digest},
    {.quote = "stored as 16 bytes in the canonical (big-endian) form",
     .message = "its index does not have the digest it promises",
     .seal = FROM_ZIP,
     .alter = reverse_root_digest},

    /* Header */
    {.quote = "| 0 | 8 | magic", .message = "is something else", .changes = {SET(ROOT, 7, 1, 0)}},
    {.quote = "format major: 1", .message = "it is in format 0.3", .changes = {SET(ROOT, 8, 2, 0)}},
    {.quote = "format minor: 3",
     .message = "the root: table 0x001a is of format 1.2, and the archive says 1.0",
     .changes = {SET(ROOT, 10, 2, 0)}},
    {.quote = "major of the oldest reader",
     .message = "needs a reader of format 2.0",
     .changes = {SET(ROOT, 12, 2, 2)}},
    {.quote = "minor of the oldest reader",
     .message = "by what is in it, it is those of 1.0",
     .changes = {SET(ROOT, 14, 2, 2)}},
    {.quote = "2 if it has compressed blocks",
     .message = "by what is in it, it is those of 1.2",
     .base = PACKED,
     .changes = {SET(ROOT, 14, 2, 0)},
     .seal = FROM_BLOCKS},
    {.quote = "or images after a base",
     .message = "by what is in it, it is those of 1.2",
     .base = AFTER_BASE,
     .changes = {SET(ROOT, 14, 2, 0)}},
    {.quote = "3 if it has pages",
     .message = "by what is in it, it is those of 1.3",
     .base = PAGED,
     .changes = {SET(ROOT, 14, 2, 2)}},
    {.quote = "size of the whole file", .message = "is too long", .after = append_byte},
    {.quote = "size of the index: the stored size", .message = "misplaced", .alter = lengthen_index},
    {.quote = "size of the root: header, tables and strings",
     .message = "misplaced block",
     .alter = lengthen_root},
    {.quote = "of its bytes 0–31 followed by its bytes 48",
     .message = "its index does not have the digest it promises",
     .changes = {SET(ROOT, 10, 2, 2)},
     .seal = FROM_ZIP},
    {.quote = "the root's table directory", .message = "malformed", .changes = {SET(ROOT, 48, 2, 60000)}},
    {.quote = "when the oldest reader that it names is not newer",
     .message = "needs a reader of format 1.4",
     .changes = {SET(ROOT, 10, 2, 4), SET(ROOT, 14, 2, 4)}},
    {.quote = "own version is for people and tools", .changes = {SET(ROOT, 10, 2, 9)}},
    {.quote = "What came with a later version",
     .message = "the index of module 'link': table 0x0025 is of format 1.1, and the archive says 1.0",
     .changes = {SET(ROOT, 10, 2, 0)}},

    /* Table sets */
    {.quote = "16 bits of zero",
     .message = "its table directory is malformed",
     .changes = {SET(ROOT, 50, 2, 1)}},
    {.quote = "Bit 15 set: a reader that does not know this id",
     .message = "a required table 0x801b, which is unknown here",
     .changes = {ENTRY(ROOT, 0x001a, 0, 2, 0x801b)}},
    {.quote = "clear: it skips the table", .changes = {ENTRY(ROOT, 0x001a, 0, 2, 0x001b)}},
    {.quote = "stride: size of one row",
     .message = "rows of 0 bytes",
     .changes = {ENTRY(TEXT, 0x8001, 2, 2, 0)}},
    {.quote = "offset of the first row",
     .message = "table 0x8021 lies outside its set",
     .changes = {ENTRY(TEXT, 0x8021, 4, 4, 0x10000)}},
    {.quote = "| count of rows |",
     .message = "table 0x8021 lies outside its set",
     .changes = {ENTRY(TEXT, 0x8021, 8, 4, 0x10000)}},
    {.quote = "There are at most 64 tables", .message = "malformed", .changes = {SET(TEXT, 0, 2, 65)}},
    {.quote = "Ids are in ascending order",
     .message = "table 0x0025 is out of order",
     .changes = {ENTRY(TEXT, 0x0032, 0, 2, 0x0025)}},
    {.quote = "each at most once",
     .message = "table 0x0031 is out of order",
     .changes = {ENTRY(TEXT, 0x0032, 0, 2, 0x0031)}},
    {.quote = "after its directory",
     .message = "table 0x8021 lies outside its set",
     .changes = {ENTRY(TEXT, 0x8021, 4, 4, 0)}},
    {.quote = "tables do not overlap", .message = "overlap", .alter = overlap_tables},
    {.quote = "never smaller",
     .message = "rows of 4 bytes, less than 8",
     .changes = {ENTRY(TEXT, 0x8021, 2, 2, 4)}},
    {.quote = "UTF-8 as above", .message = "UTF-8", .alter = write_no_utf8},
    {.quote = "the last byte is NUL",
     .message = "does not start and end with NUL",
     .alter = end_strings_early},
    {.quote = "offset 0 is the empty string",
     .message = "does not start and end with NUL",
     .changes = {ROW(CODE, 0x8001, 0, 0, 1, 'x')}},
    {.quote = "| exactly one row |",
     .message = "what it says of itself is malformed",
     .changes = {ENTRY(ROOT, 0x8010, 8, 4, 0)}},
    {.quote = "| modules | 32 | in ascending byte order of names",
     .message = "misplaced name of module number",
     .alter = swap_module_names},
    {.quote = "| pages | 32 | since 1.3; in ascending byte order of names",
     .message = "misplaced name of page number",
     .base = PAGED,
     .alter = swap_page_names},
    {.quote = "one for each row of the set's modules or pages",
     .message = "its modules are not covered",
     .base = SIGNED,
     .alter = leave_out_module_seal},
    {.quote = "at most 16", .message = "it has 17 signatures", .base = SIGNED, .alter = sign_seventeen_times},
    {.quote = "in ascending byte order of keys, no key twice",
     .message = "property number 1 is malformed or misplaced",
     .alter = swap_properties},
    {.quote = "in ascending order of kind, number, suffix",
     .message = "image 1: malformed or misplaced target",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 1, 2, 2, 70)}},
    {.quote = "at least one |", .message = "it has no image", .changes = {ENTRY(TEXT, 0x8020, 8, 4, 0)}},
    {.quote = "| kernels | 8 | in ascending byte order of lowered names",
     .message = "kernel 1: missing, malformed or misplaced name",
     .alter = swap_kernels},
    {.quote = "in ascending order of image, then kernel",
     .message = "resources 1: out of order",
     .alter = swap_resources},
    {.quote = "| parameters | 8 |", .message = "less than 8", .changes = {ENTRY(TEXT, 0x8023, 2, 2, 4)}},
    {.quote = "| globals | 24 | in ascending byte order of lowered names",
     .message = "global 1: missing, malformed or misplaced name",
     .alter = swap_globals},
    {.quote = "| pieces | 20 | since 1.1; in ascending order of image",
     .message = "piece 1: out of order",
     .alter = swap_pieces},
    {.quote = "both in ascending byte order of lowered names",
     .message = "symbol 1: missing, malformed or misplaced name",
     .alter = swap_symbols},
    {.quote = "one for each image, in their order",
     .message = "digests of images",
     .base = SIGNED,
     .alter = leave_out_image_seal},
    {.quote = "| origins | 8 | since 1.2; in ascending order of image",
     .message = "origin 0: out of order",
     .changes = {ROW(TEXT, 0x0031, 0, 0, 4, 2)}},
    {.quote = "| sources | 12, with digests 76",
     .message = "less than 12",
     .changes = {ENTRY(TEXT, 0x0032, 2, 2, 8)}},
    {.quote = "Strings may share bytes", .alter = share_a_string},
    {.quote = "A table without rows may be left out", .base = AFTER_BASE},
    {.quote = "The first table starts behind the directory",
     .message = "there are bytes between its tables",
     .alter = leave_out_global_before_others},
    {.quote = "with zeros between", .message = "there are bytes between its tables", .alter = fill_gap},
    {.quote = "the next multiple of 8 from the start of the set",
     .message = "table 0x8021 is not aligned",
     .changes = {ENTRY(TEXT, 0x8021, 4, 4, 257)}},
    {.quote = "The set ends with its last table",
     .message = "behind its last table",
     .alter = leave_out_last_global},
    {.quote = "string, archive version",
     .message = "what it says of itself is malformed",
     .changes = {ROW(ROOT, 0x8010, 0, 0, 4, FAR)}},
    {.quote = "string, producer",
     .message = "what it says of itself is malformed",
     .changes = {ROW(ROOT, 0x8010, 0, 4, 4, FAR)}},
    {.quote = "string, ABI tag",
     .message = "what it says of itself is malformed",
     .changes = {ROW(ROOT, 0x8010, 0, 8, 4, FAR)}},
    {.quote = "**modules**: 0: string, name (1 to 4,096 bytes)",
     .message = "missing, malformed or misplaced name of module number 0",
     .changes = {ROW(ROOT, 0x8011, 0, 0, 4, 0)}},
    {.quote = "4: offset of the module's block",
     .message = "misplaced block of module number 0",
     .alter = move_block},
    {.quote = "8: stored size of the block",
     .message = "misplaced block of module number 1",
     .alter = lengthen_block},
    {.quote = "the raw size of a block that is compressed",
     .message = "zstd frame has another size",
     .changes = {ROW(ROOT, 0x8011, 0, 12, 4, 4096)}},
    {.quote = "16: digest of the stored block",
     .message = "it does not have the digest that the archive says",
     .seal = FROM_ROOT,
     .alter = spoil_block_digest},
    {.quote = "each at the next multiple of 8 with zeros before it",
     .message = "unused bytes beside its block are set",
     .seal = FROM_ROOT,
     .alter = fill_gap_of_blocks},
    {.quote = "the index ends where the last block does", .message = "misplaced", .alter = lengthen_index},
    {.quote = "string, name of the page's first module",
     .message = "missing, malformed or misplaced name of page number 0",
     .base = PAGED,
     .changes = {ROW(ROOT, 0x8012, 0, 0, 4, 0)}},
    {.quote = "offset of the page from the start of the index",
     .message = "misplaced bytes of page number 0",
     .base = PAGED,
     .alter = move_page},
    {.quote = "size of the page, without the blocks behind it",
     .message = "misplaced block",
     .base = PAGED,
     .alter = lengthen_page},
    {.quote = "12: count of its modules",
     .message = "wrong number of modules of page number 1",
     .base = PAGED,
     .changes = {ROW(ROOT, 0x8012, 0, 12, 4, 0)}},
    {.quote = "16: digest of the page",
     .message = "it does not have the digest that the archive says",
     .base = PAGED,
     .seal = FROM_ROOT,
     .alter = spoil_page_digest},
    {.quote = "A reader takes no count whose rows of 32 bytes",
     .message = "wrong number of modules of page number 0",
     .base = PAGED,
     .changes = {ROW(ROOT, 0x8012, 0, 12, 4, 0x10000000)}},
    {.quote = "0: string, key (not empty)",
     .message = "property number 0 is malformed",
     .changes = {ROW(ROOT, 0x001a, 0, 0, 4, 0)}},
    {.quote = "4: string, value",
     .message = "property number 0 is malformed",
     .changes = {ROW(ROOT, 0x001a, 0, 4, 4, FAR)}},
    {.quote = "The key `license` is the SPDX",
     .message = "is no SPDX licence expression",
     .alter = write_no_licence},

    /* Pages */
    {.quote = "Since 1.3.",
     .message = "it is in format 1.2, but asks for a reader of format 1.3",
     .base = PAGED,
     .changes = {SET(ROOT, 10, 2, 2)}},
    {.quote = "A root lists modules or pages, not both",
     .message = "both in its root and in pages",
     .base = PAGED,
     .alter = list_modules_and_pages},
    {.quote = "has the tables strings, modules and, in a signed archive, seals",
     .message = "a required table 0x8002",
     .base = PAGED,
     .changes = {ENTRY(BUILT_PAGE(0), 0x8001, 0, 2, 0x8002)}},
    {.quote = "The first page follows the root",
     .message = "misplaced bytes of page number 0",
     .base = PAGED,
     .alter = move_page},
    {.quote = "each other one the last block of the page before",
     .message = "unused bytes beside its block are set",
     .base = PAGED,
     .seal = FROM_ROOT,
     .alter = fill_gap_before_page},
    {.quote = "the last has at most as many",
     .message = "wrong number of modules of page number 1",
     .base = PAGED,
     .changes = {ROW(ROOT, 0x8012, 1, 12, 4, 65)}},
    {.quote = "The first module of a page has the name that the root says",
     .message = "its modules are not those that the root says",
     .base = PAGED,
     .alter = rename_page},

    /* A module's block */
    {.quote = "A block starts with its table directory",
     .message = "malformed",
     .changes = {SET(CODE, 2, 2, 1)}},
    {.quote = "it may be stored as one zstd frame with its content size",
     .message = "zstd frame has another size",
     .base = PACKED,
     .seal = FROM_BLOCKS,
     .alter = grow_packed_block},
    {.quote = "it is made with the raw bytes of that first module's block",
     .message = "is damaged: module 'link'",
     .base = PACKED,
     .seal = FROM_BLOCKS,
     .alter = spoil_packed_block},
    {.quote = "Offsets of images in a compressed block count from the end of the index",
     .base = PACKED,
     .seal = NONE},
    {.quote = "kind: 1 cubin, 2 PTX",
     .message = "image 0: malformed or misplaced target",
     .changes = {ROW(CODE, 0x8020, 0, 0, 1, 0)}},
    {.quote = "since 1.3 4 Tile IR",
     .message = "images of its kind are of format 1.3",
     .changes = {SET(ROOT, 10, 2, 2)}},
    {.quote = "suffix: 0, `a` (97) or `f` (102)",
     .message = "image 0: malformed or misplaced target",
     .changes = {ROW(CODE, 0x8020, 0, 1, 1, 'b')}},
    {.quote = "of Tile IR 0 |",
     .message = "image 0: malformed or misplaced target",
     .changes = {ROW(TILE, 0x8020, 0, 1, 1, 'a')}},
    {.quote = "number, 10 to 9999", .message = "malformed", .changes = {ROW(CODE, 0x8020, 0, 2, 2, 9)}},
    {.quote = "number, 10 to 9999", .message = "malformed", .changes = {ROW(CODE, 0x8020, 0, 2, 2, 10000)}},
    {.quote = "10 × major + minor compute capability",
     .message = "the image itself is for sm_75",
     .changes = {ROW(CODE, 0x8020, 0, 2, 2, 80)}},
    {.quote = "10 × major + minor compute capability",
     .message = "the image itself is for compute_80",
     .changes = {ROW(TEXT, 0x8020, TEXT_PTX, 2, 2, 75)}},
    {.quote = "10 × major + minor compute capability",
     .message = "the image itself is for lto_80",
     .changes = {ROW(TEXT, 0x8020, TEXT_LTOIR, 2, 2, 75)}},
    {.quote = "10 × major + minor version of the bytecode",
     .message = "the image itself is for tile_133",
     .changes = {ROW(TILE, 0x8020, 0, 2, 2, 131)}},
    {.quote = "encoding: 0 raw", .message = "unknown encoding", .changes = {ROW(CODE, 0x8020, 0, 4, 1, 3)}},
    {.quote = "one zstd frame with its content size; 2",
     .message = "zstd frame has another size",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 0, 32, 8, 1000)}},
    {.quote = "| 5 | 3 | zero |",
     .message = "a reserved member is set",
     .changes = {ROW(CODE, 0x8020, 0, 6, 1, 1)}},
    {.quote = "toolkit that made it: 1000 × CUDA major",
     .message = "toolkit 13001 made it, which is no release",
     .changes = {ROW(TEXT, 0x8020, TEXT_LTOIR, 8, 4, 13001), ROW(TEXT, 0x8020, TEXT_LTOIR, 12, 4, 0)}},
    {.quote = "toolkit that made it: 1000 × CUDA major",
     .message = "the index says that CUDA 12.9 made it, the image CUDA 13.0",
     .changes = {ROW(CODE, 0x8020, 0, 8, 4, 12090)}},
    {.quote = "PTX: its ISA version",
     .message = "the index says PTX ISA 8.0, the image 9.0",
     .changes = {ROW(TEXT, 0x8020, TEXT_PTX, 12, 4, 80)}},
    {.quote = "the oldest nvJitLink that links it",
     .message = "the oldest that links it is of that release",
     .changes = {ROW(TEXT, 0x8020, TEXT_LTOIR, 12, 4, 12000)}},
    {.quote = "the oldest nvJitLink that links it",
     .message = "nvJitLink 13001 links it, which is no release",
     .changes = {ROW(TEXT, 0x8020, TEXT_LTOIR, 12, 4, 13001)}},
    {.quote = "cubin, Tile IR and OptiX-IR: 0",
     .message = "a reserved member is set",
     .changes = {ROW(CODE, 0x8020, 0, 12, 4, 13000)}},
    {.quote = "offset of the stored bytes from the start of the file",
     .message = "by the index at",
     .alter = move_image},
    {.quote = "| 24 | 8 | stored size |",
     .message = "sizes that contradict each other",
     .changes = {ROW(CODE, 0x8020, 0, 24, 8, 100)}},
    {.quote = "raw size: of the image itself",
     .message = "sizes that contradict each other",
     .changes = {ROW(CODE, 0x8020, 0, 32, 8, 0)}},
    {.quote = "| 40 | 16 | digest of the stored bytes |",
     .message = "its bytes do not have the digest that the index says",
     .seal = FROM_BLOCKS,
     .alter = spoil_image_digest},
    {.quote = "the base's module, its number in the archive",
     .message = "made from an image that is not there",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 1, 56, 4, 7)}},
    {.quote = "the base, a row of that module's image table",
     .message = "made from an image that is not there",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 1, 60, 4, 7)}},
    {.quote = "the raw bytes of another image, its *base*",
     .message = "made from an image that was made from another",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 1, 60, 4, 1)}},
    {.quote = "with a checksum, so that another base gives an error",
     .message = "its zstd frame has a base and no checksum",
     .base = AFTER_BASE,
     .alter = drop_checksum},
    {.quote = "A base is of encoding 0 or 1",
     .message = "made from an image that was made from another",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 1, 60, 4, 1)}},
    {.quote = "Rows of 56 bytes have no base",
     .message = "unknown encoding",
     .changes = {ROW(CODE, 0x8020, 0, 4, 1, 2)}},
    {.quote = "in those of other encodings 56 and 60 are 0",
     .message = "the index names a base, and the image has none",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 0, 60, 4, 1)}},
    {.quote = "Stored bytes lie between the end of the index and the end of the file",
     .message = "it lies outside the archive",
     .alter = move_image_to_the_end},
    {.quote = "Stored bytes lie between the end of the index and the end of the file",
     .message = "it lies outside the archive",
     .changes = {ROW(CODE, 0x8020, 0, 16, 8, 0)}},
    {.quote = "**kernels**: 0: string, lowered name (not empty)",
     .message = "kernel 0: missing, malformed or misplaced name",
     .changes = {ROW(TEXT, 0x8021, 0, 0, 4, 0)}},
    {.quote = "string, name expression that names it (empty if the kernel",
     .message = "the expression 'scan<int, 8>' stands with kernel '_Z4scanIfLi4EEvPT_', and names "
                "'_Z4scanIiLi8EEvPT_'",
     .alter = swap_kernel_expressions},
    {.quote = "string, name expression that names it (empty if the kernel",
     .message = "kernel 0: missing or malformed expression",
     .changes = {ROW(TEXT, 0x8021, 0, 4, 4, FAR)}},

    /* Resources */
    {.quote = "| 0 | image: row of the image table |",
     .message = "resources 0",
     .changes = {ROW(CODE, 0x8022, 0, 0, 4, 9)}},
    {.quote = "40 | required block: x, y, z",
     .message = "records required_block 4, the image has 0",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 40, 4, 4)}},
    {.quote = "| 4 | kernel: row of the kernel table |",
     .message = "resources 3",
     .changes = {ROW(CODE, 0x8022, 3, 4, 4, 9)}},
    {.quote = "52 | minimum blocks for each multiprocessor",
     .message = "records min_blocks 4, the image has 0",
     .changes = {ROW(CODE, 0x8022, CODE_EMPTY, 52, 4, 4)}},
    {.quote = "| 8 | registers for each thread |",
     .message = "records registers 200, the image has",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 8, 4, 200)}},
    {.quote = "56 | required cluster: x, y, z",
     .message = "records required_cluster 4, the image has 0",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 56, 4, 4)}},
    {.quote = "| 12 | static shared bytes for each block |",
     .message = "records static_shared_bytes 4, the image has 124",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 12, 4, 4)}},
    {.quote = "68 | maximum blocks in a cluster",
     .message = "records max_cluster_blocks 4, the image has 0",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 68, 4, 4)}},
    {.quote = "| 16 | local bytes for each thread |",
     .message = "records local_bytes 4, the image has 0",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 16, 4, 4)}},
    {.quote = "72 | first parameter: row of the parameter table",
     .message = "records parameter 0 at",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 72, 4, 0)}},
    {.quote = "72 | first parameter: row of the parameter table",
     .message = "parameters that are not there",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 72, 4, FAR)}},
    {.quote = "| 20 | constant bytes |",
     .message = "records constant_bytes 4, the image has 20",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 20, 4, 4)}},
    {.quote = "count of parameters (16 bits; 0xffff: unknown)",
     .message = "records 1 parameters, the image has 4",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 76, 2, 1)}},
    {.quote = "and size of the parameter buffer (16 bits)",
     .message = "records param_bytes 4, the image has 32",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 78, 2, 4)}},
    {.quote = "| 24 | maximum threads for each block |",
     .message = "records max_threads_per_block 4, the image has 200",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 24, 4, 4)}},
    {.quote = "bytes of spill stores for each thread",
     .message = "records spill_store_bytes 4, the image has 0",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 80, 4, 4)}},
    {.quote = "| 28 | maximum block: x, y, z",
     .message = "records max_block 4, the image has 200",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 28, 4, 4)}},
    {.quote = "bytes of spill loads for each thread",
     .message = "records spill_load_bytes 4, the image has 0",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 84, 4, 4)}},
    {.quote = "named barriers of each block",
     .message = "records barriers 4, the image has 1",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 88, 4, 4)}},
    {.quote = "0xffffffff means unknown", .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 8, 4, 0xffffffff)}},
    {.quote = "An image holds exactly the kernels that it has a row for",
     .message = "kernel 'stack' is in the image, but not recorded for it",
     .alter = leave_out_resource},
    {.quote = "A row says what the image says, or unknown",
     .message = "records max_block 65, the image has 64",
     .changes = {ROW(TEXT, 0x8022, TEXT_FLOAT, 28, 4, 65)}},
    {.quote = "Rows of LTO-IR and Tile IR have no numbers",
     .message = "lto_80: kernel '_Z4scanIfLi4EEvPT_': the index records registers 7, which such an image "
                "does not tell",
     .changes = {ROW(TEXT, 0x8022, TEXT_KERNELS + TEXT_FLOAT, 8, 4, 7)}},
    {.quote = "Rows of LTO-IR and Tile IR have no numbers",
     .message = "the index records barriers 0, which such an image does not tell",
     .changes = {ROW(TEXT, 0x8022, TEXT_KERNELS + TEXT_FLOAT, 88, 4, 0)}},
    {.quote = "Rows of LTO-IR and Tile IR have no numbers",
     .message = "the index records parameters, which such an image does not tell",
     .changes = {ROW(TEXT, 0x8022, TEXT_KERNELS + TEXT_FLOAT, 76, 2, 1)}},
    {.quote = "Rows of LTO-IR and Tile IR have no numbers",
     .message =
         "tile_133: kernel 'scale_f32': the index records max_block 4, which such an image does not tell",
     .changes = {ROW(TILE, 0x8022, 0, 28, 4, 4)}},
    {.quote = "Rows of PTX have none that only machine code tells",
     .message = "the index records registers 7, which such an image does not tell",
     .changes = {ROW(TEXT, 0x8022, TEXT_FLOAT, 8, 4, 7)}},
    {.quote = "registers, local and constant bytes, maximum threads",
     .message = "the index records local_bytes 0, which such an image does not tell",
     .changes = {ROW(TEXT, 0x8022, TEXT_FLOAT, 16, 4, 0)}},
    {.quote = "registers, local and constant bytes, maximum threads",
     .message = "the index records constant_bytes 0, which such an image does not tell",
     .changes = {ROW(TEXT, 0x8022, TEXT_FLOAT, 20, 4, 0)}},
    {.quote = "registers, local and constant bytes, maximum threads",
     .message = "the index records max_threads_per_block 64, which such an image does not tell",
     .changes = {ROW(TEXT, 0x8022, TEXT_FLOAT, 24, 4, 64)}},
    {.quote = "spills and barriers are unknown",
     .message = "the index records spill_store_bytes 0, which such an image does not tell",
     .changes = {ROW(TEXT, 0x8022, TEXT_FLOAT, 80, 4, 0)}},
    {.quote = "spills and barriers are unknown",
     .message = "the index records spill_load_bytes 0, which such an image does not tell",
     .changes = {ROW(TEXT, 0x8022, TEXT_FLOAT, 84, 4, 0)}},
    {.quote = "spills and barriers are unknown",
     .message = "the index records barriers 1, which such an image does not tell",
     .changes = {ROW(TEXT, 0x8022, TEXT_FLOAT, 88, 4, 1)}},
    {.quote = "So are minimum blocks of a cubin's kernel",
     .message = "the index records min_blocks 3, which such an image does not tell",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 52, 4, 3)}},
    {.quote = "If the count of parameters is unknown",
     .message = "the index places parameters that it does not know",
     .changes = {ROW(TEXT, 0x8022, TEXT_KERNELS + TEXT_FLOAT, 78, 2, 8)}},
    {.quote = "If the count of parameters is unknown",
     .message = "the index places parameters that it does not know",
     .changes = {ROW(TEXT, 0x8022, TEXT_KERNELS + TEXT_FLOAT, 72, 4, 1)}},
    {.quote = "**parameters**: 0: offset in the parameter buffer",
     .message = "records parameter 0 at 4:8, the image has it at 0:8",
     .changes = {ROW(TEXT, 0x8023, 0, 0, 4, 4)}},
    {.quote = "4: size.",
     .message = "records parameter 0 at 0:4, the image has it at 0:8",
     .changes = {ROW(TEXT, 0x8023, 0, 4, 4, 4)}},

    /* Globals */
    {.quote = "**globals**: 0: string, lowered name (not empty)",
     .message = "global 0: missing, malformed or misplaced name",
     .changes = {ROW(TEXT, 0x8024, 0, 0, 4, 0)}},
    {.quote = "4: string, name expression that names it (may be empty)",
     .message = "the expression 'ns::table' stands with global '_ZN2ns5countE', and names '_ZN2ns5tableE'",
     .alter = swap_global_expressions},
    {.quote = "the largest that an image of the module has",
     .message = "global 'flags': the index records 4 bytes, the images have 3",
     .changes = {ROW(CODE, 0x8024, CODE_FLAGS, 8, 8, 4)}},
    {.quote = "the largest that an image of the module has",
     .message = "global '_ZN2ns5tableE': the index records 20 bytes, the images have 16",
     .changes = {ROW(TEXT, 0x8024, TEXT_TABLE, 8, 8, 20)}},
    {.quote = "the largest that an image of the module has",
     .message = "global '_ZN2ns5tableE': the index records 8 bytes, the images have 16",
     .changes = {ROW(TEXT, 0x8024, TEXT_TABLE, 8, 8, 8)}},
    {.quote = "0 unknown to all of them",
     .message = "global '_ZN2ns5tableE': the index records 0 bytes, the images have 16",
     .changes = {ROW(TEXT, 0x8024, TEXT_TABLE, 8, 8, 0)}},
    {.quote = "bit 0 set for `__constant__`",
     .message = "global 'table': the index records global memory, the image has constant memory",
     .changes = {ROW(CODE, 0x8024, CODE_TABLE, 16, 4, 0)}},
    {.quote = "bit 0 set for `__constant__`",
     .message = "global 'flags': the index records constant memory, the image has global memory",
     .changes = {ROW(CODE, 0x8024, CODE_FLAGS, 16, 4, 1)}},
    {.quote = "bit 1 for `__managed__`",
     .message = "global '_ZN2ns5countE': the index records global memory, the image has managed memory",
     .changes = {ROW(TEXT, 0x8024, TEXT_COUNT, 16, 4, 0)}},
    {.quote = "bit 1 for `__managed__`, the others 0",
     .message = "records flags 0x4, of which 0x3 exist",
     .changes = {ROW(CODE, 0x8024, CODE_FLAGS, 16, 4, 4)}},
    {.quote = "20: zero.",
     .message = "a reserved member is set",
     .changes = {ROW(CODE, 0x8024, 0, 20, 4, 1)}},

    /* Pieces and symbols */
    {.quote = "0: image: row of the image table;",
     .message = "piece 0: out of order, or of an image that is not there",
     .changes = {ROW(LINK, 0x0025, 0, 0, 4, 9)}},
    {.quote = "first symbol: row of the symbol table",
     .message = "piece 1: symbols that are not there",
     .changes = {ROW(LINK, 0x0025, 1, 4, 4, 0)}},
    {.quote = "count of symbols that the image defines",
     .message = "is recorded, but not in the image",
     .changes = {ROW(LINK, 0x0025, 0, 8, 4, 1), ROW(LINK, 0x0025, 0, 12, 4, 2)}},
    {.quote = "count of symbols that it needs",
     .message = "it belongs to no piece",
     .changes = {ROW(LINK, 0x0025, 1, 12, 4, 0)}},
    {.quote = "that is not recorded, the others 0",
     .message = "the index records flags 0x3 of the piece",
     .changes = {ROW(LINK, 0x0025, 0, 16, 4, 3)}},
    {.quote = "and is finished if it is not",
     .message = "it needs function 'zother', and nothing is recorded of what it needs",
     .changes = {ENTRY(LINK, 0x0025, 8, 4, 0), ENTRY(LINK, 0x0026, 8, 4, 0)}},
    {.quote = "0: string, lowered name (not empty);",
     .message = "missing, malformed or misplaced name",
     .changes = {ROW(LINK, 0x0026, 0, 0, 4, 0)}},
    {.quote = "4: string, name expression that names it (may be empty);",
     .message = "symbol 0: missing or malformed expression or type",
     .changes = {ROW(LINK, 0x0026, 0, 4, 4, FAR)}},
    {.quote = "8: string, type (may be empty: unknown)",
     .message = "symbol 0: missing or malformed expression or type",
     .changes = {ROW(LINK, 0x0026, 0, 8, 4, FAR)}},
    {.quote = "bit 0 set if it is weak",
     .message = "function '_Z6helperi' is recorded, but not in the image",
     .changes = {ROW(LINK, 0x0026, LINK_HELPER, 12, 4, 1)}},
    {.quote = "bit 1 if it is a variable",
     .message = "variable '_Z6helperi' is recorded, but not in the image",
     .changes = {ROW(LINK, 0x0026, LINK_HELPER, 12, 4, 2)}},
    {.quote = "Other flags are to be ignored", .changes = {ROW(LINK, 0x0026, LINK_HELPER, 12, 4, 0x80)}},
    {.quote = "Every symbol belongs to one piece",
     .message = "symbol 5: it belongs to no piece",
     .changes = {ROW(LINK, 0x0025, 1, 12, 4, 0)}},
    {.quote = "A type is that of PTX", .message = "'b32(b32}' is not a type", .alter = write_no_type},
    {.quote = "A type is that of PTX",
     .message = "is recorded, but not in the image",
     .alter = write_another_type},
    {.quote = "of a variable `b8[BYTES]`", .message = "is not a type", .alter = write_no_type_of_variable},

    /* Origins and sources */
    {.quote = "**origins**: images of which it is recorded where they come from",
     .message = "origin 0: out of order, or of an image or source",
     .changes = {ROW(TEXT, 0x0031, 0, 0, 4, 9)}},
    {.quote = "4: row of the source table",
     .message = "origin 0: out of order, or of an image or source",
     .changes = {ROW(TEXT, 0x0031, 0, 4, 4, 1)}},
    {.quote = "name of the source's file, without a folder",
     .message = "the name of source 't/xt.cu' has a folder",
     .alter = write_a_folder},
    {.quote = "the options that decide the code",
     .message = "source 0: missing or malformed name, options or compiler",
     .changes = {ROW(TEXT, 0x0032, 0, 4, 4, FAR)}},
    {.quote = "the compiler and its version",
     .message = "source 0: missing or malformed name, options or compiler",
     .changes = {ROW(TEXT, 0x0032, 0, 8, 4, FAR)}},

    /* Signatures */
    {.quote = "A signed archive has, since 1.2, three more tables",
     .message = "in a signed archive there would be 2",
     .base = SIGNED,
     .changes = {ENTRY(TEXT, 0x0030, 8, 4, 0)}},
    {.quote = "An archive that is not signed has none of them",
     .message = "in an unsigned archive there would be 0",
     .base = SIGNED,
     .changes = {ENTRY(ROOT, 0x0019, 8, 4, 0)}},
    {.quote = "A *seal* is a BLAKE2b digest",
     .message = "module 'code', sm_75 does not have the seal that is signed",
     .base = SIGNED,
     .changes = {ROW(CODE, 0x0030, 0, 5, 1, 0)}},
    {.quote = "of a block's stored bytes in the seals of the root or page",
     .message = "the index of module 'code' does not have the seal that is signed",
     .base = SIGNED,
     .changes = {ROW(ROOT, 0x0018, 0, 5, 1, 0)}},
    {.quote = "of a block's stored bytes in the seals of the root or page",
     .message = "the index of module 'code' does not have the seal that is signed",
     .base = SIGNED_PAGED,
     .changes = {ROW(BUILT_PAGE(0), 0x0018, 0, 5, 1, 0)}},
    {.quote = "and of a page in the root's seals",
     .message = "the list of modules from 'code' on does not have the seal that is signed",
     .base = SIGNED_PAGED,
     .changes = {ROW(ROOT, 0x0018, 0, 5, 1, 0)}},
    {.quote = "**signatures**: 0: number of the key",
     .message = "which is none of those that this program trusts",
     .base = SIGNED,
     .changes = {ROW(ROOT, 0x0019, 0, 0, 8, 1)},
     .with_key = true},
    {.quote = "8: Ed25519 signature (64 bytes)",
     .message = "was altered after it was signed",
     .base = SIGNED,
     .changes = {ROW(ROOT, 0x0019, 0, 8, 4, 1)},
     .with_key = true},
    {.quote = "the root's bytes 0 to 31",
     .message = "was altered after it was signed",
     .base = SIGNED,
     .changes = {SET(ROOT, 10, 2, 4)},
     .with_key = true},
    {.quote = "the root's bytes from 48 to its end",
     .message = "was altered after it was signed",
     .base = SIGNED,
     .alter = write_no_licence,
     .with_key = true},
    {.quote = "A reader that trusts keys refuses an archive without a signature",
     .message = "is not signed",
     .with_key = true},

    /* What a reader checks */
    {.quote = "sizes and offsets against the file's real size", .message = "is truncated", .after = cut_byte},
    {.quote = "A file shorter or longer than the header says is refused",
     .message = "is truncated",
     .after = cut_byte},
    {.quote = "A file shorter or longer than the header says is refused",
     .message = "is too long",
     .after = append_byte},
};
const size_t format_case_count = COUNT(format_cases);

const char *const format_explained[] = {
    /* Of readers, writers and the page itself. */
    "This page is enough to write a reader",
    "`cubinet verify` holds an archive to every sentence",
    "`tests/unit/format_cases.c` has for each such sentence",
    "Nothing else of the zip structure is needed",
    "A reader checks the root when it opens the archive",
    "They detect damage",
    "they are no protection",
    "So whoever looks for a name",
    "Which archives have pages is the writer's choice",
    "`cubinet` lists up to 64 modules in the root",
    "A root has 32 bytes and a name for each page",
    "An image that needs symbols does not load before",
    "Digests find damage",
    "a signature finds whoever alters an archive",
    "So a signature of the root covers everything",
    "It checks copies of what it uses",

    /* What text may hold, and how much a reader lets it and compressed blocks take:
     * tests/unit/loader/core/archive has a test of each limit, at it and beyond (test_archive_text.c,
     * test_archive_limits.c). */
    "Strings are text that people read",
    "They have no control characters",
    "Line feeds are in the options of a source alone",
    "No string starts inside a character",
    "What is told of every image may take 64 bytes",
    "8 bytes for each parameter, as often",
    "and the strings of a source, as often",
    "So nobody compares or prints for hours",
    "Its raw size is at most 64 times its stored size",
    "the raw sizes of all compressed blocks are together",
    "Compressed blocks are held to the program's limit",

    /* Heads of tables, and what a table is of. */
    "| entry | what it is |",
    "| offset | size | |",
    "| offset | | offset | |",
    "| id | set | table | stride | |",
    "**images**",
    "**properties**: what the archive's makers say",
    "**resources**: what one kernel needs",
    "**pieces**: images of which it is recorded",
    "**symbols**: functions (kernels excepted)",

    /* What every case goes by: an archive that did otherwise would break others of these sentences. */
    "All integers are little-endian",
    "offsets and sizes are in bytes",
    "The index is a root table set",
    "The root lists the modules or",
    "Every member is 32 bits",
    "so module number *i* of the archive",
    "The digest is that of, one after the other",
    "The root's own digest is made when the signatures are in",
    "The zip structure is covered by no signature",
    "for a page on its first use its digest and the same rules",
    "for a module on its first use the block's digest and the same rules",

    /* What an archive may do, as the sound ones here do. */
    "An entry for every image of an archive of small modules",
    "Lists of parameters may be shared",

    /* Nothing in an archive says it: an archive can't tell that a page is compressed, or what was hashed. */
    "It is not compressed",
    "in rows so long 12: SHA-256 of the source",
    "Zeros: not recorded",

    /* Shown by other tests: test_zip_writer.c and the command's pack_large, test_archive_damage.c,
     * test_signature.c, the golden archive of 1.0, test_archive_bases.c and test_archive_memory.c. */
    "Archives above 4 GiB use zip64",
    "But the strings of a table",
    "Keys are minisign's",
    "A public key is the base64 text of 42 bytes",
    "In rows of version 1.0",
    "for an image on its use the digest of its stored bytes",
    "for an image with a base the same of the base first",
    "A compressed block is held to the same limit",
    "A frame is decompressed in one step",
    "The limit is a program's own",
};
const size_t format_explained_count = COUNT(format_explained);
