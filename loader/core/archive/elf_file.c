/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/elf_file.h"

#include <string.h>

bool cbn_is_elf(const void *bytes, size_t size)
{
    return size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

bool cbn_elf_file_has(const struct cbn_elf_file *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset;
}

static Elf64_Shdr section_header(const struct cbn_elf_file *elf, uint64_t number)
{
    Elf64_Shdr header;
    memcpy(&header, elf->bytes + elf->header.e_shoff + number * sizeof(header), sizeof(header));
    return header;
}

/* Files with very many sections keep the numbers that the header has no room for in section 0. */
static bool open_sections(struct cbn_elf_file *elf)
{
    const Elf64_Ehdr *header = &elf->header;
    if (header->e_shoff == 0) {
        return true;
    }
    if (header->e_shentsize != sizeof(Elf64_Shdr) ||
        !cbn_elf_file_has(elf, header->e_shoff, sizeof(Elf64_Shdr))) {
        return false;
    }
    Elf64_Shdr first = section_header(elf, 0);
    uint64_t count = header->e_shnum ? header->e_shnum : first.sh_size;
    if (count > (elf->size - header->e_shoff) / sizeof(Elf64_Shdr)) {
        return false;
    }
    elf->section_count = (size_t)count;
    elf->section_names =
        cbn_elf_file_strings(elf, header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx);
    return true;
}

bool cbn_elf_file_open(struct cbn_elf_file *elf, const void *bytes, size_t size)
{
    *elf = (struct cbn_elf_file){.bytes = bytes, .size = size};
    if (!cbn_is_elf(bytes, size) || size < sizeof(elf->header)) {
        return false;
    }
    memcpy(&elf->header, bytes, sizeof(elf->header));
    return elf->header.e_ident[EI_CLASS] == ELFCLASS64 && elf->header.e_ident[EI_DATA] == ELFDATA2LSB &&
           open_sections(elf);
}

bool cbn_elf_file_section(const struct cbn_elf_file *elf, uint64_t number,
                          struct cbn_elf_section *out_section)
{
    if (number == 0 || number >= elf->section_count) {
        return false;
    }
    Elf64_Shdr header = section_header(elf, number);
    bool is_stored = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL && header.sh_size > 0;
    bool is_inside = cbn_elf_file_has(elf, header.sh_offset, header.sh_size);
    *out_section = (struct cbn_elf_section){
        .name = cbn_elf_string(&elf->section_names, header.sh_name),
        .type = header.sh_type,
        .link = header.sh_link,
        .info = header.sh_info,
        .flags = header.sh_flags,
        .size = header.sh_size,
        .entry_size = header.sh_entsize,
        .bytes = is_stored && is_inside ? elf->bytes + header.sh_offset : NULL,
        .is_outside = is_stored && !is_inside,
    };
    return true;
}

bool cbn_elf_file_segment(const struct cbn_elf_file *elf, size_t number, Elf64_Phdr *out_segment)
{
    uint64_t table = elf->header.e_phoff;
    uint64_t place = number * sizeof(*out_segment);
    if (elf->header.e_phentsize != sizeof(*out_segment) ||
        !cbn_elf_file_has(elf, table, place + sizeof(*out_segment))) {
        return false;
    }
    memcpy(out_segment, elf->bytes + table + place, sizeof(*out_segment));
    return true;
}

struct cbn_elf_strings cbn_elf_file_strings(const struct cbn_elf_file *elf, uint64_t section)
{
    struct cbn_elf_section table;
    if (!cbn_elf_file_section(elf, section, &table) || !table.bytes || table.bytes[table.size - 1] != '\0') {
        return (struct cbn_elf_strings){0};
    }
    return (struct cbn_elf_strings){.text = (const char *)table.bytes, .size = (size_t)table.size};
}

const char *cbn_elf_string(const struct cbn_elf_strings *strings, uint64_t offset)
{
    return offset < strings->size ? strings->text + offset : NULL;
}
