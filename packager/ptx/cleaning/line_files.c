/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/cleaning/line_files.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"
#include "loader/link/device_elf.h"
#include "loader/link/ptx_statement.h"

#include <stdbool.h>
#include <string.h>

/* Control characters that are white space nowhere. */
static bool stands_for_others(size_t code)
{
    return (code >= 1 && code <= 8) || (code >= 14 && code <= 31);
}

/* The control character for a first character; 0 if there are too many. */
static char code_of(struct line_files *files, char first)
{
    for (size_t code = 1; code < sizeof(files->first); code++) {
        if (stands_for_others(code) && (files->first[code] == '\0' || files->first[code] == first)) {
            files->first[code] = first;
            return (char)code;
        }
    }
    return '\0';
}

void line_files_hide(char *ptx, size_t size, struct line_files *out_files)
{
    struct cbn_ptx_lexer lexer = {ptx, ptx + size};
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
    *out_files = (struct line_files){0};
    for (; statement.kind != CBN_PTX_STATEMENT_END && statement.kind != CBN_PTX_STATEMENT_DAMAGED;
         statement = cbn_ptx_next_statement(&lexer)) {
        if (statement.kind != CBN_PTX_STATEMENT_FILE) {
            continue;
        }
        cbn_ptx_next(&statement.rest); /* its number */
        struct cbn_ptx_token path = cbn_ptx_next(&statement.rest);
        char code = path.kind == CBN_PTX_STRING && path.size > 2 ? code_of(out_files, path.text[1]) : '\0';
        if (code) {
            ptx[path.text + 1 - ptx] = code;
        }
    }
}

/* A line table's bytes, read one after another. */
struct reader {
    unsigned char *at;
    unsigned char *end;
};

static bool has(const struct reader *reader, size_t size)
{
    return (size_t)(reader->end - reader->at) >= size;
}

static bool skip_number(struct reader *reader)
{
    while (has(reader, 1) && (*reader->at & 0x80)) {
        reader->at++;
    }
    return has(reader, 1) && reader->at++;
}

/* Takes a string, and puts its first character back. */
static bool show_string(const struct line_files *files, struct reader *reader, bool *out_is_empty)
{
    unsigned char *start = reader->at;
    unsigned char *end = memchr(start, '\0', (size_t)(reader->end - start));
    if (!end) {
        return false;
    }
    if (*start < sizeof(files->first) && files->first[*start]) {
        *start = (unsigned char)files->first[*start];
    }
    *out_is_empty = end == start;
    reader->at = end + 1;
    return true;
}

/* The tables of folders and files, as DWARF 2 to 4 have them. */
static bool show_tables(const struct line_files *files, struct reader *reader)
{
    bool is_last = false;
    while (!is_last) {
        if (!show_string(files, reader, &is_last)) {
            return false;
        }
    }
    while (show_string(files, reader, &is_last)) {
        if (is_last) {
            return true;
        }
        if (!skip_number(reader) || !skip_number(reader) || !skip_number(reader)) {
            return false;
        }
    }
    return false;
}

/* The line table of one unit; `section` is put after it. */
static bool show_unit(const struct line_files *files, struct reader *section)
{
    enum {
        LENGTH_SIZE = 4,
        VERSION_SIZE = 2,
        FIRST_VERSION = 2,
        LAST_VERSION = 4, /* has a byte more before the opcodes' number */
        BEFORE_OPCODES = 4,
    };
    if (!has(section, LENGTH_SIZE)) {
        return false;
    }
    uint32_t size = cbn_get32(section->at);
    struct reader unit = {section->at + LENGTH_SIZE, section->end};
    if (!has(&unit, size) || size < VERSION_SIZE + LENGTH_SIZE) {
        return false;
    }
    unit.end = unit.at + size;
    section->at = unit.end;
    unsigned version = cbn_get16(unit.at);
    size_t skipped = BEFORE_OPCODES + (version == LAST_VERSION);
    unit.at += VERSION_SIZE + LENGTH_SIZE;
    if (version < FIRST_VERSION || version > LAST_VERSION || !has(&unit, skipped + 1)) {
        return false;
    }
    unit.at += skipped;
    size_t opcodes = *unit.at;
    if (opcodes == 0 || !has(&unit, opcodes)) {
        return false;
    }
    unit.at += opcodes; /* a length for each but one, and their number */
    return show_tables(files, &unit);
}

static cubinet_status show_section(const struct line_files *files, struct reader section)
{
    while (has(&section, 1)) {
        if (!show_unit(files, &section)) {
            return cbn_error(CUBINET_ERROR_LINK,
                             "the line table that ptxas wrote is not of the DWARF versions 2 to 4; assemble "
                             "with --assembler nvjitlink");
        }
    }
    return CUBINET_OK;
}

cubinet_status line_files_show(const struct line_files *files, unsigned char *cubin, size_t size)
{
    struct cbn_elf elf;
    struct cbn_elf_section section;
    if (memcmp(files, &(struct line_files){0}, sizeof(*files)) == 0) {
        return CUBINET_OK; /* no file was named */
    }
    cubinet_status status = cbn_elf_open(&elf, cubin, size);
    for (size_t i = 1; !status && i < elf.file.section_count; i++) {
        status = cbn_elf_section(&elf, i, &section);
        if (!status && section.bytes && strcmp(section.name, ".debug_line") == 0) {
            unsigned char *bytes = cubin + (section.bytes - cubin);
            status = show_section(files, (struct reader){bytes, bytes + section.size});
        }
    }
    return status;
}
