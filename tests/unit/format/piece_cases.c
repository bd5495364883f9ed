/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces, symbols, origins and sources. */
#include "format_changes.h"

#include "unit.h"

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

static const struct format_case cases[] = {
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
    {.quote = "that the image defines and needs, the others 0",
     .message = "the index records flags 0x3 of the piece",
     .changes = {ROW(LINK, 0x0025, 0, 16, 4, 3)}},
    {.quote = "and any other image needs no linking",
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
    {.quote = "Readers ignore other flags", .changes = {ROW(LINK, 0x0026, LINK_HELPER, 12, 4, 0x80)}},
    {.quote = "Every symbol belongs to one piece",
     .message = "symbol 5: it belongs to no piece",
     .changes = {ROW(LINK, 0x0025, 1, 12, 4, 0)}},
    {.quote = "A function's type is `RESULT(PARAMETER,PARAMETER…)`",
     .message = "'b32(b32}' is not a type",
     .alter = write_no_type},
    {.quote = "A function's type is `RESULT(PARAMETER,PARAMETER…)`",
     .message = "is recorded, but not in the image",
     .alter = write_another_type},
    {.quote = "a variable's type is `b8[BYTES]`",
     .message = "is not a type",
     .alter = write_no_type_of_variable},

    /* Origins and sources */
    {.quote = "**origins**: the sources that images were made from",
     .message = "origin 0: out of order, or of an image or source",
     .changes = {ROW(TEXT, 0x0031, 0, 0, 4, 9)}},
    {.quote = "4: source: row of the source table",
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
};
const struct format_cases format_piece_cases = {cases, COUNT(cases)};
