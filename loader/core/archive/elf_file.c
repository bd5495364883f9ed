/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/elf_file.h"

#include <stdlib.h>
#include <string.h>

bool cbn_is_elf(const void *bytes, size_t size)
{
    return size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

bool cbn_elf_header(const void *bytes, size_t size, Elf64_Ehdr *out_header)
{
    if (!cbn_is_elf(bytes, size) || size < sizeof(*out_header)) {
        return false;
    }
    memcpy(out_header, bytes, sizeof(*out_header));
    return out_header->e_ident[EI_CLASS] == ELFCLASS64 && out_header->e_ident[EI_DATA] == ELFDATA2LSB;
}

bool cbn_elf_file_has(const struct cbn_elf_file *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset;
}

/* What lies in the file. */
static cubinet_status read(const struct cbn_elf_file *elf, uint64_t offset, size_t size, void *out)
{
    if (!elf->bytes) {
        return cbn_storage_read(elf->storage, offset, size, out);
    }
    memcpy(out, elf->bytes + offset, size);
    return CUBINET_OK;
}

static cubinet_status take(const struct cbn_elf_file *elf, uint64_t offset, uint64_t size,
                           struct cbn_taken *out_taken)
{
    if (!elf->bytes) {
        return cbn_storage_take(elf->storage, offset, (size_t)size, true, out_taken);
    }
    *out_taken = (struct cbn_taken){.bytes = elf->bytes + offset};
    return CUBINET_OK;
}

static struct cbn_elf_strings strings_of(const unsigned char *bytes, uint64_t size)
{
    bool is_ended = bytes && bytes[size - 1] == '\0';
    return is_ended ? (struct cbn_elf_strings){.text = (const char *)bytes, .size = (size_t)size}
                    : (struct cbn_elf_strings){0};
}

static cubinet_status open_names(struct cbn_elf_file *elf, uint64_t number)
{
    struct cbn_elf_section table;
    if (!cbn_elf_file_section(elf, number, &table) || !table.is_stored || table.size == 0) {
        return CUBINET_OK;
    }
    cubinet_status status = take(elf, table.offset, table.size, &elf->names);
    if (!status) {
        elf->section_names = strings_of(elf->names.bytes, table.size);
    }
    return status;
}

/* Files with very many sections keep the numbers that the header has no room for in section 0. */
static cubinet_status open_sections(struct cbn_elf_file *elf, bool *out_is_whole)
{
    const Elf64_Ehdr *header = &elf->header;
    Elf64_Shdr first;
    *out_is_whole = header->e_shoff == 0;
    if (header->e_shoff == 0 || header->e_shentsize != sizeof(first) ||
        !cbn_elf_file_has(elf, header->e_shoff, sizeof(first))) {
        return CUBINET_OK;
    }
    cubinet_status status = read(elf, header->e_shoff, sizeof(first), &first);
    if (status) {
        return status;
    }
    uint64_t count = header->e_shnum ? header->e_shnum : first.sh_size;
    *out_is_whole = count <= (elf->size - header->e_shoff) / sizeof(first);
    if (!*out_is_whole || count == 0) {
        return CUBINET_OK;
    }
    status = take(elf, header->e_shoff, count * sizeof(first), &elf->sections);
    if (status) {
        return status;
    }
    elf->section_count = (size_t)count;
    return open_names(elf, header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx);
}

static size_t count_segments(const struct cbn_elf_file *elf)
{
    const Elf64_Ehdr *header = &elf->header;
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > elf->size) {
        return 0;
    }
    size_t room = (elf->size - header->e_phoff) / sizeof(Elf64_Phdr);
    return header->e_phnum < room ? header->e_phnum : room;
}

bool cbn_elf_file_open(struct cbn_elf_file *elf, const void *bytes, size_t size)
{
    bool is_whole = false;
    *elf = (struct cbn_elf_file){.bytes = bytes, .size = size};
    if (!cbn_elf_header(bytes, size, &elf->header)) {
        return false;
    }
    elf->segment_count = count_segments(elf);
    return !open_sections(elf, &is_whole) && is_whole;
}

cubinet_status cbn_elf_file_read(struct cbn_elf_file *elf, const struct cbn_storage *storage,
                                 bool *out_is_whole)
{
    Elf64_Ehdr header;
    *elf = (struct cbn_elf_file){.storage = storage, .size = storage->size};
    *out_is_whole = false;
    if (elf->size < sizeof(header)) {
        return CUBINET_OK;
    }
    cubinet_status status = read(elf, 0, sizeof(header), &header);
    if (status || !cbn_elf_header(&header, sizeof(header), &elf->header)) {
        return status;
    }
    elf->segment_count = count_segments(elf);
    return open_sections(elf, out_is_whole);
}

void cbn_elf_file_close(struct cbn_elf_file *elf)
{
    free(elf->sections.owned);
    free(elf->names.owned);
}

bool cbn_elf_file_section(const struct cbn_elf_file *elf, uint64_t number,
                          struct cbn_elf_section *out_section)
{
    Elf64_Shdr header;
    if (number == 0 || number >= elf->section_count) {
        return false;
    }
    memcpy(&header, elf->sections.bytes + number * sizeof(header), sizeof(header));
    bool has_bytes = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
    bool is_inside = cbn_elf_file_has(elf, header.sh_offset, header.sh_size);
    *out_section = (struct cbn_elf_section){
        .name = cbn_elf_string(&elf->section_names, header.sh_name),
        .type = header.sh_type,
        .link = header.sh_link,
        .info = header.sh_info,
        .flags = header.sh_flags,
        .offset = header.sh_offset,
        .size = header.sh_size,
        .entry_size = header.sh_entsize,
        .bytes =
            elf->bytes && has_bytes && is_inside && header.sh_size > 0 ? elf->bytes + header.sh_offset : NULL,
        .is_stored = has_bytes && is_inside,
        .is_outside = has_bytes && !is_inside && header.sh_size > 0,
    };
    return true;
}

cubinet_status cbn_elf_file_segment(const struct cbn_elf_file *elf, size_t number, Elf64_Phdr *out_segment)
{
    return read(elf, elf->header.e_phoff + number * sizeof(*out_segment), sizeof(*out_segment), out_segment);
}

struct cbn_elf_strings cbn_elf_file_strings(const struct cbn_elf_file *elf, uint64_t section)
{
    struct cbn_elf_section table;
    return cbn_elf_file_section(elf, section, &table) ? strings_of(table.bytes, table.size)
                                                      : (struct cbn_elf_strings){0};
}

const char *cbn_elf_string(const struct cbn_elf_strings *strings, uint64_t offset)
{
    return offset < strings->size ? strings->text + offset : NULL;
}
