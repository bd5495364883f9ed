/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_inside.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_BYTE_ORDER ELFDATA2LSB
#else
#define OWN_BYTE_ORDER ELFDATA2MSB
#endif

/* An ELF file with its section headers, all of which lie in it. */
struct elf_file {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
    uint64_t section_count;
    Elf64_Shdr names; /* the section of the sections' names; without any, it is empty */
};

bool cbn_is_elf(const void *bytes, size_t size)
{
    return size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static bool is_within(const struct elf_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

/* Headers need not be aligned in a file that others wrote. */
static Elf64_Shdr section_at(const struct elf_file *file, uint64_t number)
{
    Elf64_Shdr section;
    memcpy(&section, file->bytes + file->header.e_shoff + number * sizeof(section), sizeof(section));
    return section;
}

static bool has_contents(const struct elf_file *file, const Elf64_Shdr *section)
{
    return section->sh_type != SHT_NULL && section->sh_type != SHT_NOBITS &&
           is_within(file, section->sh_offset, section->sh_size);
}

/* Files with very many sections keep the numbers that the header has no room for in section 0. */
static bool read_sections(struct elf_file *file)
{
    const Elf64_Ehdr *header = &file->header;
    if (header->e_shoff == 0) {
        return true;
    }
    if (header->e_shentsize != sizeof(Elf64_Shdr) || !is_within(file, header->e_shoff, sizeof(Elf64_Shdr))) {
        return false;
    }
    Elf64_Shdr first = section_at(file, 0);
    file->section_count = header->e_shnum ? header->e_shnum : first.sh_size;
    if (file->section_count > (file->size - header->e_shoff) / sizeof(Elf64_Shdr)) {
        return false;
    }
    uint32_t names = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
    if (names < file->section_count) {
        Elf64_Shdr section = section_at(file, names);
        file->names = has_contents(file, &section) ? section : file->names;
    }
    return true;
}

static bool read_header(const void *bytes, size_t size, struct elf_file *out_file)
{
    struct elf_file file = {.bytes = bytes, .size = size};
    if (!cbn_is_elf(bytes, size) || size < sizeof(file.header)) {
        return false;
    }
    memcpy(&file.header, bytes, sizeof(file.header));
    if (file.header.e_ident[EI_CLASS] != ELFCLASS64 || file.header.e_ident[EI_DATA] != OWN_BYTE_ORDER ||
        !read_sections(&file)) {
        return false;
    }
    *out_file = file;
    return true;
}

static bool is_archive_section(const struct elf_file *file, const Elf64_Shdr *section)
{
    const size_t size = sizeof(CBN_ARCHIVE_SECTION); /* with its NUL */
    return section->sh_name <= file->names.sh_size && file->names.sh_size - section->sh_name >= size &&
           memcmp(file->bytes + file->names.sh_offset + section->sh_name, CBN_ARCHIVE_SECTION, size) == 0;
}

static bool find_section(const struct elf_file *file, struct cbn_extent *out_archive)
{
    for (uint64_t i = 0; i < file->section_count; i++) {
        Elf64_Shdr section = section_at(file, i);
        if (is_archive_section(file, &section) && has_contents(file, &section)) {
            *out_archive =
                (struct cbn_extent){.offset = (size_t)section.sh_offset, .size = (size_t)section.sh_size};
            return true;
        }
    }
    return false;
}

static uint64_t later(uint64_t end, uint64_t offset, uint64_t size)
{
    return size <= UINT64_MAX - offset && offset + size > end ? offset + size : end;
}

/* Where the file would end if nothing had been appended. Usually the section headers come last. */
static uint64_t end_of(const struct elf_file *file)
{
    const Elf64_Ehdr *header = &file->header;
    uint64_t end = later(sizeof(*header), header->e_shoff, file->section_count * sizeof(Elf64_Shdr));
    for (uint64_t i = 0; i < file->section_count; i++) {
        Elf64_Shdr section = section_at(file, i);
        if (has_contents(file, &section)) {
            end = later(end, section.sh_offset, section.sh_size);
        }
    }
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        if (header->e_phentsize != sizeof(segment) || header->e_phoff > file->size ||
            !is_within(file, header->e_phoff + i * sizeof(segment), sizeof(segment))) {
            break;
        }
        memcpy(&segment, file->bytes + header->e_phoff + i * sizeof(segment), sizeof(segment));
        end = later(end, segment.p_offset, segment.p_filesz);
    }
    return end;
}

bool cbn_elf_inside(const void *bytes, size_t size, struct cbn_extent *out_archive)
{
    struct elf_file file;
    if (!read_header(bytes, size, &file)) {
        return false;
    }
    if (find_section(&file, out_archive)) {
        return true;
    }
    uint64_t end = end_of(&file);
    if (end >= size) {
        return false;
    }
    *out_archive = (struct cbn_extent){.offset = (size_t)end, .size = size - (size_t)end};
    return true;
}
