/* SPDX-License-Identifier: Apache-2.0 */
/* Images of parts. */
#include "format_changes.h"

#include "unit.h"

#include <string.h>

/* In the header before the entry, and in the zip directory. */
static void rename_part(struct built *built)
{
    static const char name[] = "giant/compute_80.1.ptx";
    unsigned char *at = built->bytes;
    for (int i = 0; i < 2; i++) {
        at = memmem(at, built->size - (size_t)(at - built->bytes), name, strlen(name));
        assert_non_null(at);
        at[strlen("giant/compute_80.")] = '7';
        at++;
    }
}

/* As frames whose raw sizes nobody can add up. */
static void enlarge_parts(struct built *built)
{
    for (size_t i = GIANT_ADD; i <= GIANT_SORT; i++) {
        row_of(built, GIANT, 0x8020, i)[4] = 1;
        put(row_of(built, GIANT, 0x8020, i) + 32, 8, (uint64_t)1 << 63);
    }
}

static void swap_first_kernels(struct built *built)
{
    unsigned char *scan = row_of(built, GIANT, 0x8022, GIANT_USE_SCAN) + 4;
    unsigned char *sort = row_of(built, GIANT, 0x8022, GIANT_USE_SORT) + 4;
    swap_bytes(scan, sort, 4);
}

static const struct format_case cases[] = {
    {.quote = "| `MODULE/TARGET.N.EXT` |",
     .message = "zip entry 'giant/compute_80.7.ptx' stands where the index has 'giant/compute_80.1.ptx'",
     .base = PARTS,
     .seal = FROM_ZIP,
     .alter = rename_part},
    {.quote = "Since 1.5, an image may consist of parts",
     .message = "image 2: malformed or misplaced target",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802b, 0, 0, 4, GIANT_SCAN), ROW(GIANT, 0x802b, 0, 4, 4, 2)}},
    {.quote = "| 0x802b | block | parts | 8 |",
     .message = "the index of module 'giant': table 0x802b is of format 1.5, and the archive says 1.4",
     .base = PARTS,
     .changes = {SET(ROOT, 10, 2, 4)}},
    {.quote = "**parts**: 0: the first row",
     .message = "parts 1: out of order, or of images that are not there",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802b, 0, 0, 4, GIANT_SCAN)}},
    {.quote = "**parts**: 0: the first row",
     .message = "parts 1: out of order, or of images that are not there",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802b, 1, 0, 4, 6)}},
    {.quote = "**parts**: 0: the first row",
     .message = "parts 1: out of order, or of images that are not there",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802b, 1, 0, 4, 100)}},
    {.quote = "A module with such an image has the table of parts",
     .message = "part global 0: of a global or part that is not there",
     .base = PARTS,
     .changes = {ENTRY(WHOLE, 0x0031, 0, 2, 0x802c)}},
    {.quote = "4: count of parts",
     .message = "parts 0: less than two",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802b, 0, 4, 4, 1)}},
    {.quote = "The parts of an image are cubins, or PTX",
     .message = "image 2: malformed or misplaced target",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x8020, GIANT_ADD, 0, 1, 3), ROW(GIANT, 0x8020, GIANT_SCAN, 0, 1, 3),
                 ROW(GIANT, 0x8020, GIANT_SORT, 0, 1, 3)}},
    {.quote = "They have the same target",
     .message = "image 2: malformed or misplaced target",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x8020, GIANT_SCAN, 2, 2, 86)}},
    {.quote = "They have the same target",
     .message = "image 2: malformed or misplaced target",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x8020, GIANT_SCAN, 8, 4, 12090)}},
    {.quote = "They have the same target",
     .message = "image 2: malformed or misplaced target",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x8020, GIANT_SCAN, 12, 4, 80)}},
    {.quote = "Each has at least one kernel",
     .message = "image 3: a part without a kernel",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x8022, GIANT_USE_SORT, 0, 4, GIANT_SCAN)}},
    {.quote = "no kernel is in two of them",
     .message = "a kernel that another part has, too",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x8022, GIANT_USE_ZERO, 4, 4, 2)}},
    {.quote = "They are in ascending order of their first kernels",
     .message = "image 3: a part that is not in the order of first kernels",
     .base = PARTS,
     .alter = swap_first_kernels},
    {.quote = "No part is a piece",
     .message = "piece 0: of a part",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x0025, 0, 0, 4, GIANT_ADD)}},
    {.quote = "Their raw sizes are together less",
     .message = "image 1: parts that are too large together",
     .base = PARTS,
     .alter = enlarge_parts},
    {.quote = "of an image of parts the first",
     .message = "origin 1: of a part that is not its image's first",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x0031, 1, 0, 4, GIANT_SCAN)}},
    {.quote = "| 0x802c | block | part globals | 8 |",
     .message = "part global 1: out of order, or in two parts of an image",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802c, 0, 0, 4, 1), ROW(GIANT, 0x802c, 1, 0, 4, 0)}},
    {.quote = "**part globals**: which part has which global",
     .message = "part global 0: of a global or part that is not there",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802c, 0, 0, 4, 2)}},
    {.quote = "0: global: row of the global table",
     .message = "part global 1: of a global or part that is not there",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802c, 1, 0, 4, 2)}},
    {.quote = "4: part: row of the image table",
     .message = "part global 0: of a global or part that is not there",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802c, 0, 4, 4, 0)}},
    {.quote = "4: part: row of the image table",
     .message = "part global 1: of a global or part that is not there",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802c, 1, 4, 4, 100)}},
    {.quote = "A global is in at most one part of each image",
     .message = "part global 1: out of order, or in two parts of an image",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802c, 1, 0, 4, 0)}},
    {.quote = "A part has a row for each of the module's globals",
     .message = "part 1 of compute_80: global 'table' is in the part, but not recorded for it",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802c, 1, 4, 4, GIANT_SORT)}},
    {.quote = "A part has a row for each of the module's globals",
     .message = "part 2 of compute_80: global 'table' is recorded, but not in the part",
     .base = PARTS,
     .changes = {ROW(GIANT, 0x802c, 1, 4, 4, GIANT_SORT)}},
    {.quote = "5 if blocks are compressed after that of a module with parts",
     .message = "the header names format 1.2 as the oldest that readers must know; the contents need 1.5",
     .base = PACKED_PARTS,
     .changes = {SET(ROOT, 14, 2, 2)}},
};

const struct format_cases format_part_cases = {cases, COUNT(cases)};
