/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/elf_inside.h"

#include "loader/core/archive/elf_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_BYTE_ORDER ELFDATA2LSB
#else
#define OWN_BYTE_ORDER ELFDATA2MSB
#endif

/* An ELF file with copies of its tables, all of which lie in it. */
struct elf_file {
    const struct cbn_storage *storage;
    Elf64_Ehdr header;
    bool is_cut; /* its section headers are not those of a whole file */
    uint64_t section_count;
    struct cbn_taken sections; /* headers, not aligned: others wrote the file */
    Elf64_Shdr names;          /* the section of the sections' names; without any, it is empty */
    struct cbn_taken name_bytes;
};

static bool is_within(const struct elf_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->storage->size && size <= file->storage->size - offset;
}

static Elf64_Shdr section_at(const struct elf_file *file, uint64_t number)
{
    Elf64_Shdr section;
    memcpy(&section, file->sections.bytes + number * sizeof(section), sizeof(section));
    return section;
}

static bool has_contents(const struct elf_file *file, const Elf64_Shdr *section)
{
    return section->sh_type != SHT_NULL && section->sh_type != SHT_NOBITS &&
           is_within(file, section->sh_offset, section->sh_size);
}

/* Files with very many sections keep the numbers that the header has no room for in section 0. */
static cubinet_status count_sections(struct elf_file *file, uint32_t *out_names)
{
    const Elf64_Ehdr *header = &file->header;
    Elf64_Shdr first;
    file->is_cut = header->e_shoff != 0 &&
                   (header->e_shentsize != sizeof(first) || !is_within(file, header->e_shoff, sizeof(first)));
    if (header->e_shoff == 0 || file->is_cut) {
        return CUBINET_OK;
    }
    cubinet_status status = cbn_storage_read(file->storage, header->e_shoff, sizeof(first), &first);
    if (status) {
        return status;
    }
    uint64_t count = header->e_shnum ? header->e_shnum : first.sh_size;
    file->is_cut = count > (file->storage->size - header->e_shoff) / sizeof(first);
    if (!file->is_cut) {
        file->section_count = count;
        *out_names = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
    }
    return CUBINET_OK;
}

static cubinet_status read_sections(struct elf_file *file)
{
    uint32_t names = 0;
    cubinet_status status = count_sections(file, &names);
    if (status || file->section_count == 0) {
        return status;
    }
    status = cbn_storage_take(file->storage, file->header.e_shoff, file->section_count * sizeof(Elf64_Shdr),
                              true, &file->sections);
    if (status || names >= file->section_count) {
        return status;
    }
    Elf64_Shdr section = section_at(file, names);
    if (!has_contents(file, &section)) {
        return CUBINET_OK;
    }
    file->names = section;
    return cbn_storage_take(file->storage, section.sh_offset, section.sh_size, true, &file->name_bytes);
}

static bool is_archive_section(const struct elf_file *file, const Elf64_Shdr *section)
{
    const size_t size = sizeof(CBN_ARCHIVE_SECTION); /* with its NUL */
    return section->sh_name <= file->names.sh_size && file->names.sh_size - section->sh_name >= size &&
           memcmp(file->name_bytes.bytes + section->sh_name, CBN_ARCHIVE_SECTION, size) == 0;
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

static cubinet_status add_segments(const struct elf_file *file, uint64_t *end)
{
    const Elf64_Ehdr *header = &file->header;
    Elf64_Phdr segment;
    cubinet_status status = CUBINET_OK;
    for (unsigned i = 0; i < header->e_phnum && !status; i++) {
        uint64_t place = i * sizeof(segment);
        if (header->e_phentsize != sizeof(segment) || header->e_phoff > file->storage->size ||
            !is_within(file, header->e_phoff + place, sizeof(segment))) {
            break;
        }
        status = cbn_storage_read(file->storage, header->e_phoff + place, sizeof(segment), &segment);
        *end = status ? *end : later(*end, segment.p_offset, segment.p_filesz);
    }
    return status;
}

/* Where the file would end if nothing had been appended. Usually the section headers come last. */
static cubinet_status end_of(const struct elf_file *file, uint64_t *out_end)
{
    const Elf64_Ehdr *header = &file->header;
    uint64_t end = later(sizeof(*header), header->e_shoff, file->section_count * sizeof(Elf64_Shdr));
    for (uint64_t i = 0; i < file->section_count; i++) {
        Elf64_Shdr section = section_at(file, i);
        if (has_contents(file, &section)) {
            end = later(end, section.sh_offset, section.sh_size);
        }
    }
    *out_end = end;
    return add_segments(file, out_end);
}

static cubinet_status find_appended(const struct elf_file *file, struct cbn_extent *out_archive)
{
    uint64_t end = 0;
    cubinet_status status = end_of(file, &end);
    size_t size = file->storage->size;
    if (!status && end < size) {
        *out_archive = (struct cbn_extent){.offset = (size_t)end, .size = size - (size_t)end};
    }
    return status;
}

static bool is_of_this_kind(const Elf64_Ehdr *header)
{
    return cbn_is_elf(header, sizeof(*header)) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == OWN_BYTE_ORDER;
}

cubinet_status cbn_elf_inside(const struct cbn_storage *storage, struct cbn_extent *out_archive)
{
    struct elf_file file = {.storage = storage};
    *out_archive = (struct cbn_extent){0};
    if (storage->size < sizeof(file.header)) {
        return CUBINET_OK;
    }
    cubinet_status status = cbn_storage_read(storage, 0, sizeof(file.header), &file.header);
    if (status || !is_of_this_kind(&file.header)) {
        return status;
    }
    status = read_sections(&file);
    if (!status && !file.is_cut && !find_section(&file, out_archive)) {
        status = find_appended(&file, out_archive);
    }
    free(file.sections.owned);
    free(file.name_bytes.owned);
    return status;
}
