/* SPDX-License-Identifier: Apache-2.0 */
#include "device_elf.h"

#include "error.h"

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

static bool is_inside(const struct cbn_elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset;
}

/* A section's header; false if it lies outside the file. */
static bool read_section_header(const struct cbn_elf *elf, size_t number, Elf64_Shdr *out_header)
{
    uint64_t place = (uint64_t)number * sizeof(*out_header);
    if (elf->header.e_shoff > elf->size ||
        !is_inside(elf, elf->header.e_shoff + place, sizeof(*out_header))) {
        return false;
    }
    memcpy(out_header, elf->bytes + elf->header.e_shoff + place, sizeof(*out_header));
    return true;
}

/* How many sections there are, and which has their names: in the header or, where they don't fit, in the
 * first section. */
static cubinet_status count_sections(struct cbn_elf *elf, size_t *out_names)
{
    uint64_t count = elf->header.e_shnum;
    size_t names = elf->header.e_shstrndx;
    Elf64_Shdr first;
    bool is_extended = (count == 0 && elf->header.e_shoff > 0) || names == SHN_XINDEX;
    if (elf->header.e_shentsize != sizeof(Elf64_Shdr) ||
        (is_extended && !read_section_header(elf, 0, &first))) {
        return damaged("its section table is cut off");
    }
    if (is_extended) {
        count = count == 0 ? first.sh_size : count;
        names = names == SHN_XINDEX ? first.sh_link : names;
    }
    Elf64_Shdr last;
    if (count == 0 || count > elf->size / sizeof(Elf64_Shdr) ||
        !read_section_header(elf, (size_t)count - 1, &last)) {
        return damaged("its section table is cut off");
    }
    elf->section_count = (size_t)count;
    *out_names = names;
    return CUBINET_OK;
}

static cubinet_status section_bytes(const struct cbn_elf *elf, size_t number, Elf64_Shdr *out_header,
                                    const unsigned char **out_bytes)
{
    if (number >= elf->section_count || !read_section_header(elf, number, out_header)) {
        return damaged("its section table is cut off");
    }
    *out_bytes = NULL;
    if (out_header->sh_type != SHT_NOBITS && out_header->sh_type != SHT_NULL && out_header->sh_size > 0) {
        if (!is_inside(elf, out_header->sh_offset, out_header->sh_size)) {
            return damaged("a section lies outside the file");
        }
        *out_bytes = elf->bytes + out_header->sh_offset;
    }
    return CUBINET_OK;
}

static cubinet_status read_strings(const struct cbn_elf *elf, size_t number,
                                   struct cbn_elf_strings *out_strings)
{
    Elf64_Shdr header;
    const unsigned char *bytes = NULL;
    cubinet_status status = section_bytes(elf, number, &header, &bytes);
    if (status || !bytes || bytes[header.sh_size - 1] != '\0') {
        return damaged("a string table is missing or cut off");
    }
    *out_strings = (struct cbn_elf_strings){.text = (const char *)bytes, .size = (size_t)header.sh_size};
    return CUBINET_OK;
}

static cubinet_status read_symbols(struct cbn_elf *elf, const Elf64_Shdr *header, const unsigned char *bytes)
{
    if (elf->symbols) {
        return damaged("it has two symbol tables");
    }
    if (header->sh_entsize != sizeof(Elf64_Sym)) {
        return damaged("its symbol table is cut off or has entries of another size");
    }
    elf->symbols = bytes;
    elf->symbol_count = bytes ? (size_t)header->sh_size / sizeof(Elf64_Sym) : 0;
    if (elf->symbol_count > INT_MAX) {
        return damaged("it has too many symbols");
    }
    return read_strings(elf, header->sh_link, &elf->symbol_names);
}

static cubinet_status find_symbols(struct cbn_elf *elf)
{
    for (size_t i = 1; i < elf->section_count; i++) {
        Elf64_Shdr header;
        const unsigned char *bytes = NULL;
        cubinet_status status = section_bytes(elf, i, &header, &bytes);
        if (!status && header.sh_type == SHT_SYMTAB_SHNDX) {
            elf->symbol_sections = bytes;
            elf->symbol_section_count = bytes ? (size_t)header.sh_size / sizeof(Elf64_Word) : 0;
        }
        if (!status && header.sh_type == SHT_SYMTAB) {
            status = read_symbols(elf, &header, bytes);
        }
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

/* Segments are for whoever loads the file: the driver, which is not told where it ends. */
static cubinet_status check_segments(const struct cbn_elf *elf)
{
    uint64_t table = (uint64_t)elf->header.e_phnum * sizeof(Elf64_Phdr);
    if (elf->header.e_phnum > 0 && (elf->header.e_phentsize != sizeof(Elf64_Phdr) ||
                                    !is_inside(elf, elf->header.e_phoff, table))) {
        return damaged("its segment table is cut off");
    }
    for (size_t i = 0; i < elf->header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, elf->bytes + elf->header.e_phoff + i * sizeof(segment), sizeof(segment));
        if (!is_inside(elf, segment.p_offset, segment.p_filesz)) {
            return damaged("a segment lies outside the file");
        }
    }
    return CUBINET_OK;
}

cubinet_status cbn_elf_open(struct cbn_elf *elf, const void *data, size_t size)
{
    *elf = (struct cbn_elf){.bytes = data, .size = size};
    cubinet_status status = check_ident(data, size);
    if (status) {
        return status;
    }
    if (size < sizeof(elf->header)) {
        return damaged("its ELF header is cut off");
    }
    memcpy(&elf->header, data, sizeof(elf->header));
    size_t names = 0;
    status = check_header(&elf->header);
    if (!status) {
        status = count_sections(elf, &names);
    }
    if (!status) {
        status = read_strings(elf, names, &elf->section_names);
    }
    if (!status) {
        status = check_segments(elf);
    }
    return status ? status : find_symbols(elf);
}

static const char *string_at(const struct cbn_elf_strings *strings, uint64_t offset)
{
    return offset < strings->size ? strings->text + offset : NULL;
}

cubinet_status cbn_elf_section(const struct cbn_elf *elf, size_t number, struct cbn_elf_section *out_section)
{
    Elf64_Shdr header;
    const unsigned char *bytes = NULL;
    cubinet_status status = section_bytes(elf, number, &header, &bytes);
    if (status) {
        return status;
    }
    struct cbn_elf_section section = {
        .name = string_at(&elf->section_names, header.sh_name),
        .type = header.sh_type,
        .info = header.sh_info,
        .flags = header.sh_flags,
        .size = header.sh_size,
        .bytes = bytes,
    };
    if (!section.name) {
        return damaged("a section's name lies outside its string table");
    }
    *out_section = section;
    return CUBINET_OK;
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
        .name = string_at(&elf->symbol_names, row.st_name),
        .type = ELF64_ST_TYPE(row.st_info),
        .binding = ELF64_ST_BIND(row.st_info),
        .other = row.st_other,
        .section = row.st_shndx == SHN_XINDEX ? extended_section(elf, number) : row.st_shndx,
        .size = row.st_size,
    };
    if (symbol.section >= elf->section_count) {
        symbol.section = SHN_UNDEF; /* absolute and common symbols lie in no section */
    }
    if (!symbol.name) {
        return damaged("a symbol's name lies outside its string table");
    }
    *out_symbol = symbol;
    return CUBINET_OK;
}
