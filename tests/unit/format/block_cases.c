/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a module's block: images, kernels, globals. */
#include "format_changes.h"

#include "unit.h"

static void swap_kernel_expressions(struct built *built)
{
    swap_bytes(row_of(built, TEXT, 0x8021, TEXT_FLOAT) + 4, row_of(built, TEXT, 0x8021, TEXT_INT) + 4, 4);
}

static void swap_global_expressions(struct built *built)
{
    swap_bytes(row_of(built, TEXT, 0x8024, TEXT_COUNT) + 4, row_of(built, TEXT, 0x8024, TEXT_TABLE) + 4, 4);
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

static void move_image(struct built *built)
{
    unsigned char *place = row_of(built, PAIR_1, 0x8020, 0) + 16;
    put(place, 8, get(place, 8) + 1);
}

static void move_image_to_the_end(struct built *built)
{
    put(row_of(built, PAIR_1, 0x8020, 0) + 16, 8, built->size);
}

static const struct format_case cases[] = {
    /* A module's block */
    {.quote = "A block starts with its table directory",
     .message = "malformed",
     .changes = {SET(CODE, 2, 2, 1)}},
    {.quote = "it may be stored as one zstd frame with its content size",
     .message = "zstd frame has another size",
     .base = PACKED,
     .seal = FROM_BLOCKS,
     .alter = grow_packed_block},
    {.quote = "the frame is made with the raw bytes of that first module's block",
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
    {.quote = "for Tile IR 0 |",
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
     .message = "toolkit 13001 made it, which is not a release",
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
     .message = "nvJitLink 13001 links it, which is not a release",
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
    {.quote = "raw size: that of the image itself",
     .message = "sizes that contradict each other",
     .changes = {ROW(CODE, 0x8020, 0, 32, 8, 0)}},
    {.quote = "| 40 | 16 | digest of the stored bytes |",
     .message = "its bytes do not have the digest that the index says",
     .seal = FROM_BLOCKS,
     .alter = spoil_image_digest},
    {.quote = "the number of the base's module in the archive",
     .message = "made from an image that is not there",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 1, 56, 4, 7)}},
    {.quote = "the number of the base's image in that module",
     .message = "made from an image that is not there",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 1, 60, 4, 7)}},
    {.quote = "the raw bytes of another image, its *base*",
     .message = "made from an image that was made from another",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 1, 60, 4, 1)}},
    {.quote = "The frame has a checksum, so decompressing it with another base",
     .message = "its zstd frame has a base and no checksum",
     .base = AFTER_BASE,
     .alter = drop_checksum},
    {.quote = "A base has encoding 0 or 1",
     .message = "made from an image that was made from another",
     .base = AFTER_BASE,
     .changes = {ROW(0, 0x8020, 1, 60, 4, 1)}},
    {.quote = "Rows of 56 bytes have no base",
     .message = "unknown encoding",
     .changes = {ROW(CODE, 0x8020, 0, 4, 1, 2)}},
    {.quote = "members 56, 60 and 64 are 0",
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
     .message = "the expression 'scan<int, 8>' is recorded for kernel '_Z4scanIfLi4EEvPT_', but names "
                "'_Z4scanIiLi8EEvPT_'",
     .alter = swap_kernel_expressions},
    {.quote = "string, name expression that names it (empty if the kernel",
     .message = "kernel 0: missing or malformed expression",
     .changes = {ROW(TEXT, 0x8021, 0, 4, 4, FAR)}},

    /* Globals */
    {.quote = "**globals**: 0: string, lowered name (not empty)",
     .message = "global 0: missing, malformed or misplaced name",
     .changes = {ROW(TEXT, 0x8024, 0, 0, 4, 0)}},
    {.quote = "4: string, name expression that names it (may be empty)",
     .message =
         "the expression 'ns::table' is recorded for global '_ZN2ns5countE', but names '_ZN2ns5tableE'",
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
    {.quote = "0: unknown in all of them",
     .message = "global '_ZN2ns5tableE': the index records 0 bytes, the images have 16",
     .changes = {ROW(TEXT, 0x8024, TEXT_TABLE, 8, 8, 0)}},
    {.quote = "bit 0 set if an image has it as `__constant__`",
     .message = "global 'table': the index records global memory, the images have constant memory",
     .changes = {ROW(CODE, 0x8024, CODE_TABLE, 16, 4, 0)}},
    {.quote = "bit 0 set if an image has it as `__constant__`",
     .message = "global 'flags': the index records constant memory, the images have global memory",
     .changes = {ROW(CODE, 0x8024, CODE_FLAGS, 16, 4, 1)}},
    {.quote = "bit 1 if one has it as `__managed__`",
     .message = "global '_ZN2ns5countE': the index records global memory, the images have managed memory",
     .changes = {ROW(TEXT, 0x8024, TEXT_COUNT, 16, 4, 0)}},
    {.quote = "bit 1 if one has it as `__managed__`, the others 0",
     .message = "records flags 0x4, of which 0x3 exist",
     .changes = {ROW(CODE, 0x8024, CODE_FLAGS, 16, 4, 4)}},
    {.quote = "20: zero.",
     .message = "a reserved member is set",
     .changes = {ROW(CODE, 0x8024, 0, 20, 4, 1)}},
};
const struct format_cases format_block_cases = {cases, COUNT(cases)};
