/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/device_elf.h"

#include "loader/core/support/error.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

static cubinet_status damaged(const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "not a cubin: %s", what);
}

static cubinet_status check_ident(const unsigned char *ident, size_t size)
{
    if (size < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) != 0) {
        return damaged("it is not an ELF file");
    }
    if (ident[EI_CLASS] != ELFCLASS64) {
        return damaged("it is a 32-bit ELF file, and cubins of CUDA 12 and later are 64-bit");
    }
    if (ident[EI_DATA] != ELFDATA2LSB) {
        return damaged("it is a big-endian ELF file");
    }
    return CUBINET_OK;
}

static cubinet_status check_header(const Elf64_Ehdr *header)
{
    if (header->e_machine != EM_CUDA) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "not a cubin: the ELF file is for machine %u, and CUDA's is %u", header->e_machine,
                         EM_CUDA);
    }
    if (header->e_type != ET_EXEC && header->e_type != ET_REL) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "not a cubin: its ELF type is %u, and an executable's is %u",
                         header->e_type, ET_EXEC);
    }
    return CUBINET_OK;
}

static cubinet_status read_section(const struct cbn_elf *elf, size_t number,
                                   struct cbn_elf_section *out_section)
{
    if (!cbn_elf_file_section(&elf->file, number, out_section)) {
        return damaged("its section table is cut off");
    }
    return out_section->is_outside ? damaged("a section lies outside the file") : CUBINET_OK;
}

static cubinet_status read_symbols(struct cbn_elf *elf, const struct cbn_elf_section *section)
{
    if (elf->symbols) {
        return damaged("it has two symbol tables");
    }
    if (section->entry_size != sizeof(Elf64_Sym)) {
        return damaged("its symbol table is cut off or has entries of another size");
    }
    elf->symbols = section->bytes;
    elf->symbol_count = section->bytes ? (size_t)section->size / sizeof(Elf64_Sym) : 0;
    if (elf->symbol_count > INT_MAX) {
        return damaged("it has too many symbols");
    }
    elf->symbol_names = cbn_elf_file_strings(&elf->file, section->link);
    return elf->symbol_names.text ? CUBINET_OK : damaged("a string table is missing or cut off");
}

static cubinet_status find_symbols(struct cbn_elf *elf)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 1; !status && i < elf->file.section_count; i++) {
        struct cbn_elf_section section;
        status = read_section(elf, i, &section);
        if (!status && section.type == SHT_SYMTAB_SHNDX) {
            elf->symbol_sections = section.bytes;
            elf->symbol_section_count = section.bytes ? (size_t)section.size / sizeof(Elf64_Word) : 0;
        }
        if (!status && section.type == SHT_SYMTAB) {
            status = read_symbols(elf, &section);
        }
    }
    return status;
}

/* Segments are for whoever loads the file: the driver, which is not told where it ends. */
static cubinet_status check_segments(const struct cbn_elf_file *file)
{
    Elf64_Phdr segment;
    if (file->segment_count < file->header.e_phnum) {
        return damaged("its segment table is cut off");
    }
    for (size_t i = 0; i < file->segment_count && !cbn_elf_file_segment(file, i, &segment); i++) {
        if (!cbn_elf_file_has(file, segment.p_offset, segment.p_filesz)) {
            return damaged("a segment lies outside the file");
        }
    }
    return CUBINET_OK;
}

cubinet_status cbn_elf_open(struct cbn_elf *elf, const void *data, size_t size)
{
    *elf = (struct cbn_elf){0};
    cubinet_status status = check_ident(data, size);
    if (status) {
        return status;
    }
    if (size < sizeof(elf->file.header)) {
        return damaged("its ELF header is cut off");
    }
    bool is_whole = cbn_elf_file_open(&elf->file, data, size);
    status = check_header(&elf->file.header);
    if (status) {
        return status;
    }
    if (!is_whole || elf->file.section_count == 0) {
        return damaged("its section table is cut off");
    }
    if (!elf->file.section_names.text) {
        return damaged("a string table is missing or cut off");
    }
    status = check_segments(&elf->file);
    return status ? status : find_symbols(elf);
}

cubinet_status cbn_elf_section(const struct cbn_elf *elf, size_t number, struct cbn_elf_section *out_section)
{
    cubinet_status status = read_section(elf, number, out_section);
    if (!status && !out_section->name) {
        status = damaged("a section's name lies outside its string table");
    }
    return status;
}

/* The section of a symbol whose number does not fit it. */
static size_t extended_section(const struct cbn_elf *elf, size_t number)
{
    Elf64_Word section = SHN_UNDEF;
    if (number < elf->symbol_section_count) {
        memcpy(&section, elf->symbol_sections + number * sizeof(section), sizeof(section));
    }
    return section;
}

cubinet_status cbn_elf_symbol(const struct cbn_elf *elf, size_t number, struct cbn_elf_symbol *out_symbol)
{
    Elf64_Sym row;
    if (number >= elf->symbol_count) {
        return damaged("its symbol table is cut off");
    }
    memcpy(&row, elf->symbols + number * sizeof(row), sizeof(row));
    struct cbn_elf_symbol symbol = {
        .name = cbn_elf_string(&elf->symbol_names, row.st_name),
        .type = ELF64_ST_TYPE(row.st_info),
        .binding = ELF64_ST_BIND(row.st_info),
        .other = row.st_other,
        .section = row.st_shndx == SHN_XINDEX ? extended_section(elf, number) : row.st_shndx,
        .size = row.st_size,
    };
    if (symbol.section >= elf->file.section_count) {
        symbol.section = SHN_UNDEF; /* absolute and common symbols lie in no section */
    }
    if (!symbol.name) {
        return damaged("a symbol's name lies outside its string table");
    }
    *out_symbol = symbol;
    return CUBINET_OK;
}
