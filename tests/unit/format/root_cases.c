/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the root: meta, modules, pages, properties. */
#include "format_changes.h"

#include "unit.h"

/* Of four properties one row of modules. */
static void list_modules_and_pages(struct built *built)
{
    unsigned char *pages = built->bytes + built_entry(built, ROOT, 0x8012);
    unsigned char *properties = built->bytes + built_entry(built, ROOT, 0x001a);
    swap_bytes(pages, properties, 12);
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

static void rename_page(struct built *built)
{
    unsigned char *name = row_of(built, ROOT, 0x8012, 1);
    row_of(built, ROOT, 0x8001, get(name, 4))[2]--;
}

/* Adds to a number of a row. */
static void add_to_row(struct built *built, int set, uint16_t table, size_t row, size_t offset)
{
    unsigned char *place = row_of(built, set, table, row) + offset;
    put(place, 4, get(place, 4) + 8);
}

static void move_page(struct built *built)
{
    add_to_row(built, ROOT, 0x8012, 0, 4);
}

static void lengthen_page(struct built *built)
{
    add_to_row(built, ROOT, 0x8012, 0, 8);
}

static void move_block(struct built *built)
{
    add_to_row(built, ROOT, 0x8011, 0, 4);
}

static void lengthen_block(struct built *built)
{
    add_to_row(built, ROOT, 0x8011, 0, 8);
}

static const struct format_case cases[] = {
    /* Table sets */
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
    {.quote = "size of the page, without the blocks after it",
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
    {.quote = "A reader refuses a count whose rows of 32 bytes",
     .message = "wrong number of modules of page number 0",
     .base = PAGED,
     .changes = {ROW(ROOT, 0x8012, 0, 12, 4, 0x10000000)}},
    {.quote = "0: string, key (not empty)",
     .message = "property number 0 is malformed",
     .changes = {ROW(ROOT, 0x001a, 0, 0, 4, 0)}},
    {.quote = "4: string, value",
     .message = "property number 0 is malformed",
     .changes = {ROW(ROOT, 0x001a, 0, 4, 4, FAR)}},
    {.quote = "The value of the key `license` is the licence",
     .message = "is not an SPDX licence expression",
     .alter = write_no_licence},

    /* Pages */
    {.quote = "Pages exist since 1.3.",
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
    {.quote = "each other page follows the last block of the page before",
     .message = "unused bytes beside its block are set",
     .base = PAGED,
     .seal = FROM_ROOT,
     .alter = fill_gap_before_page},
    {.quote = "the last has between one and that many",
     .message = "wrong number of modules of page number 1",
     .base = PAGED,
     .changes = {ROW(ROOT, 0x8012, 1, 12, 4, 65)}},
    {.quote = "The first module of a page has the name that the root gives",
     .message = "its modules are not those that the root says",
     .base = PAGED,
     .alter = rename_page},
};
const struct format_cases format_root_cases = {cases, COUNT(cases)};
