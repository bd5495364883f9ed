/* SPDX-License-Identifier: Apache-2.0 */
/* Table sets: directories, strings, and the order of rows. */
#include "format_changes.h"

#include "unit.h"

static void swap_module_names(struct built *built)
{
    swap_bytes(row_of(built, ROOT, 0x8011, 0), row_of(built, ROOT, 0x8011, 1), 4);
}

static void swap_page_names(struct built *built)
{
    swap_bytes(row_of(built, ROOT, 0x8012, 0), row_of(built, ROOT, 0x8012, 1), 4);
}

static void swap_properties(struct built *built)
{
    swap_bytes(row_of(built, ROOT, 0x001a, 0), row_of(built, ROOT, 0x001a, 1), 8);
}

static void swap_kernels(struct built *built)
{
    swap_bytes(row_of(built, TEXT, 0x8021, 0), row_of(built, TEXT, 0x8021, 1), 8);
}

static void swap_resources(struct built *built)
{
    swap_bytes(row_of(built, TEXT, 0x8022, 0) + 4, row_of(built, TEXT, 0x8022, 1) + 4, 4);
}

static void swap_globals(struct built *built)
{
    swap_bytes(row_of(built, TEXT, 0x8024, 0), row_of(built, TEXT, 0x8024, 1), 24);
}

static void swap_pieces(struct built *built)
{
    swap_bytes(row_of(built, LINK, 0x0025, 0), row_of(built, LINK, 0x0025, 1), 4);
}

static void swap_symbols(struct built *built)
{
    swap_bytes(row_of(built, LINK, 0x0026, LINK_HELPER), row_of(built, LINK, 0x0026, LINK_STATE), 16);
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

/* After the strings of the first block where these leave a gap. */
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

static void leave_out_global_before_others(struct built *built)
{
    leave_out_row(built, TEXT, 0x8024);
}

static void leave_out_last_global(struct built *built)
{
    leave_out_row(built, CODE, 0x8024);
}

static void leave_out_module_seal(struct built *built)
{
    leave_out_row(built, ROOT, 0x0018);
}

static void leave_out_image_seal(struct built *built)
{
    leave_out_row(built, TEXT, 0x0030);
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

static void share_a_string(struct built *built)
{
    unsigned char *options = row_of(built, TEXT, 0x0032, 0) + 4;
    put(options, 4, get(options, 4) + 1); /* "O3" of "-O3" */
}

static void write_no_utf8(struct built *built)
{
    find_text(built, TEXT, "text.cu")[0] = (char)0xff;
}

static const struct format_case cases[] = {
    /* Table sets */
    {.quote = "a NUL-terminated UTF-8 string in the string table",
     .message = "kernel 0: missing, malformed or misplaced name",
     .changes = {ROW(TEXT, 0x8021, 0, 0, 4, FAR)}},
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
    {.quote = "at least one image, and at most 512",
     .message = "it has no image",
     .changes = {ENTRY(TEXT, 0x8020, 8, 4, 0)}},
    {.quote = "| kernels | 8 | in ascending byte order of lowered names",
     .message = "kernel 1: missing, malformed or misplaced name",
     .alter = swap_kernels},
    {.quote = "in ascending order of image, then kernel",
     .message = "resources 1: out of order",
     .alter = swap_resources},
    {.quote = "in ascending order of image, then kernel; no pair twice",
     .message = "resources 2: out of order",
     .changes = {ROW(CODE, 0x8022, CODE_SHAPES, 4, 4, CODE_RECURSIVE)}},
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
    {.quote = "one for each row of the image table, in their order",
     .message = "digests of images",
     .base = SIGNED,
     .alter = leave_out_image_seal},
    {.quote = "| origins | 8 | since 1.2; in ascending order of image",
     .message = "origin 0: out of order",
     .changes = {ROW(TEXT, 0x0031, 0, 0, 4, 2)}},
    {.quote = "in ascending order of image, none twice",
     .message = "origin 1: out of order",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x0031, 1, 0, 4, 0)}},
    {.quote = "| sources | 12, with digests 76",
     .message = "less than 12",
     .changes = {ENTRY(TEXT, 0x0032, 2, 2, 8)}},
    {.quote = "Strings may share bytes", .alter = share_a_string},
    {.quote = "A table without rows may be left out", .base = AFTER_BASE},
    {.quote = "The first table follows the directory",
     .message = "there are bytes between its tables",
     .alter = leave_out_global_before_others},
    {.quote = "with zeros between", .message = "there are bytes between its tables", .alter = fill_gap},
    {.quote = "the next multiple of 8 from the start of the set",
     .message = "table 0x8021 is not aligned",
     .changes = {ENTRY(TEXT, 0x8021, 4, 4, 257)}},
    {.quote = "The set ends with its last table",
     .message = "after its last table",
     .alter = leave_out_last_global},
};
const struct format_cases format_set_cases = {cases, COUNT(cases)};
