/* SPDX-License-Identifier: Apache-2.0 */
/* The index: its digests, its header, and what a reader checks. */
#include "format_changes.h"

#include "unit.h"

static void append_byte(struct built *built)
{
    insert_bytes(built, built->size, 1);
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
        swap_bytes(digest + i, digest + 15 - i, 1);
    }
}

static void spoil_block_digest_of_page(struct built *built)
{
    row_of(built, BUILT_PAGE(0), 0x8011, CODE)[16] ^= 1;
}

static void lengthen_root(struct built *built)
{
    unsigned char *size = built->bytes + built->index + 28;
    put(size, 4, get(size, 4) + 8);
}

static const struct format_case cases[] = {
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
    {.quote = "format major: 1", .message = "it is in format 0.6", .changes = {SET(ROOT, 8, 2, 0)}},
    {.quote = "| 10 | 2 | format minor: 6 |",
     .message = "the root: table 0x001a is of format 1.2, and the archive says 1.0",
     .changes = {SET(ROOT, 10, 2, 0)}},
    {.quote = "major of the oldest reader",
     .message = "needs a reader of format 2.0",
     .changes = {SET(ROOT, 12, 2, 2)}},
    {.quote = "minor of the oldest reader",
     .message = "the contents need 1.0",
     .changes = {SET(ROOT, 14, 2, 2)}},
    {.quote = "2 if it has compressed blocks",
     .message = "the contents need 1.2",
     .base = PACKED,
     .changes = {SET(ROOT, 14, 2, 0)},
     .seal = FROM_BLOCKS},
    {.quote = "or images with a base",
     .message = "the contents need 1.2",
     .base = AFTER_BASE,
     .changes = {SET(ROOT, 14, 2, 0)}},
    {.quote = "3 if it has pages",
     .message = "the contents need 1.3",
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
    {.quote = "unless the oldest reader named there is newer",
     .message = "needs a reader of format 1.7",
     .changes = {SET(ROOT, 10, 2, 7), SET(ROOT, 14, 2, 7)}},
    {.quote = "The version of the format itself only informs people", .changes = {SET(ROOT, 10, 2, 9)}},
    {.quote = "An archive contains nothing that came with a later version",
     .message = "the index of module 'link': table 0x0025 is of format 1.1, and the archive says 1.0",
     .changes = {SET(ROOT, 10, 2, 0)}},

    /* What a reader checks */
    {.quote = "sizes and offsets against the file's real size", .message = "is truncated", .after = cut_byte},
    {.quote = "A reader refuses a file that is shorter or longer",
     .message = "is truncated",
     .after = cut_byte},
    {.quote = "A reader refuses a file that is shorter or longer",
     .message = "is too long",
     .after = append_byte},
};
const struct format_cases format_index_cases = {cases, COUNT(cases)};
