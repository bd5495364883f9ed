/* SPDX-License-Identifier: Apache-2.0 */
#include "slim/slim_file.h"

#include "base/array.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 8 /* of fatbins and of entries */, MOST_SECTIONS = 4096 };

static cubinet_status damaged(const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "%s", what);
}

static cubinet_status open_elf(struct slim_file *file, const void *bytes, size_t size)
{
    if (!cbn_is_elf(bytes, size)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "it is not an ELF file; give a linked program or a shared library");
    }
    if (!cbn_elf_file_open(&file->elf, bytes, size)) {
        return damaged("it is cut off, or no little-endian 64-bit ELF file");
    }
    if (file->elf.header.e_type == ET_REL) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "it is an object file; link it, and slim the program or shared library");
    }
    if (file->elf.segment_count < file->elf.header.e_phnum) {
        return damaged("its program headers are cut off");
    }
    return CUBINET_OK;
}

/* The segment that loads a section, and no other has a byte of it. */
static cubinet_status find_segment(const struct slim_file *file, const struct cbn_elf_section *section,
                                   uint64_t address, size_t *out_segment)
{
    size_t count = 0;
    for (size_t i = 0; i < file->elf.segment_count; i++) {
        Elf64_Phdr segment;
        cbn_elf_file_segment(&file->elf, i, &segment);
        bool is_loaded = segment.p_type == PT_LOAD &&
                         cbn_elf_file_has(&file->elf, segment.p_offset, segment.p_filesz) &&
                         segment.p_offset < section->offset + section->size &&
                         section->offset < segment.p_offset + segment.p_filesz;
        bool holds = is_loaded && segment.p_offset <= section->offset &&
                     section->size <= segment.p_offset + segment.p_filesz - section->offset &&
                     address - segment.p_vaddr == section->offset - segment.p_offset;
        count += is_loaded ? (holds ? 1 : 2) : 0;
        *out_segment = holds ? i : *out_segment;
    }
    return count == 1 ? CUBINET_OK : damaged("its fatbins are not loaded as its sections say");
}

static uint64_t address_of(const struct cbn_elf_file *elf, size_t number)
{
    Elf64_Shdr header;
    memcpy(&header, elf->sections.bytes + number * sizeof(header), sizeof(header));
    return header.sh_addr;
}

static cubinet_status add_section(struct slim_file *file, size_t number,
                                  const struct cbn_elf_section *section)
{
    struct slim_section *sections = array_grow(file->sections, file->section_count, sizeof(*sections));
    if (!sections) {
        return cbn_error_memory();
    }
    file->sections = sections;
    struct slim_section *added = &sections[file->section_count];
    *added = (struct slim_section){.number = number, .offset = section->offset, .size = section->size};
    file->section_count++;
    if (file->section_count > MOST_SECTIONS) {
        return damaged("it has more sections with fatbins than any linker writes");
    }
    return find_segment(file, section, address_of(&file->elf, number), &added->segment);
}

static int by_offset(const void *a, const void *b)
{
    const struct slim_section *left = a;
    const struct slim_section *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static cubinet_status find_sections(struct slim_file *file)
{
    struct cbn_elf_section section;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 1; !status && cbn_elf_file_section(&file->elf, i, &section); i++) {
        if (section.is_outside) {
            return damaged("it is cut off");
        }
        if (!section.name || !section.bytes) {
            continue;
        }
        if (strcmp(section.name, ".nv_fatbin") == 0) {
            status = add_section(file, i, &section);
        } else if (strcmp(section.name, "__nv_relfatbin") == 0) {
            file->linked_later += section.size;
        }
    }
    if (!status && file->section_count > 0) {
        qsort(file->sections, file->section_count, sizeof(*file->sections), by_offset);
    }
    return status;
}

/* A part of the file that something is in. */
struct range {
    uint64_t start;
    uint64_t end;
    bool is_fatbins;
};

static int by_start(const void *a, const void *b)
{
    const struct range *left = a;
    const struct range *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

/* ranges: has room for all sections and the three tables */
static size_t list_ranges(const struct slim_file *file, struct range *ranges)
{
    const Elf64_Ehdr *header = &file->elf.header;
    struct cbn_elf_section section;
    size_t count = 0;
    ranges[count++] = (struct range){0, sizeof(*header), false};
    ranges[count++] = (struct range){header->e_phoff,
                                     header->e_phoff + (uint64_t)header->e_phnum * sizeof(Elf64_Phdr), false};
    ranges[count++] = (struct range){header->e_shoff,
                                     header->e_shoff + file->elf.section_count * sizeof(Elf64_Shdr), false};
    for (size_t i = 1; cbn_elf_file_section(&file->elf, i, &section); i++) {
        if (section.bytes) {
            bool is_fatbins = section.name && strcmp(section.name, ".nv_fatbin") == 0;
            ranges[count++] = (struct range){section.offset, section.offset + section.size, is_fatbins};
        }
    }
    return count;
}

/* What is taken out of a fatbin must be nothing else as well. */
static cubinet_status check_overlaps(const struct slim_file *file)
{
    struct range *ranges = calloc(file->elf.section_count + 3, sizeof(*ranges));
    if (!ranges) {
        return cbn_error_memory();
    }
    size_t count = list_ranges(file, ranges);
    uint64_t end = 0; /* of all so far */
    uint64_t end_of_fatbins = 0;
    bool overlap = false;
    qsort(ranges, count, sizeof(*ranges), by_start);
    for (size_t i = 0; i < count; i++) {
        overlap = overlap || ranges[i].start < (ranges[i].is_fatbins ? end : end_of_fatbins);
        end = ranges[i].end > end ? ranges[i].end : end;
        end_of_fatbins =
            ranges[i].is_fatbins && ranges[i].end > end_of_fatbins ? ranges[i].end : end_of_fatbins;
    }
    free(ranges);
    return overlap ? damaged("a section with fatbins overlaps another part of the file") : CUBINET_OK;
}

static cubinet_status add_images(struct slim_file *file, struct slim_fatbin *fatbin)
{
    const unsigned char *bytes = file->elf.bytes + fatbin->offset;
    uint64_t at = CBN_FATBIN_HEADER;
    fatbin->first_image = file->image_count;
    while (at < fatbin->size) {
        struct slim_image image = {.stays = true};
        if (!cbn_fatbin_read_entry(bytes + at, fatbin->size - at, &image.entry) ||
            image.entry.size % ALIGNMENT != 0) {
            fatbin->fate = SLIM_NOT_READ;
            return CUBINET_OK;
        }
        struct slim_image *images = array_grow(file->images, file->image_count, sizeof(*images));
        if (!images) {
            return cbn_error_memory();
        }
        file->images = images;
        images[file->image_count++] = image;
        fatbin->image_count++;
        at += image.entry.size;
    }
    return CUBINET_OK;
}

static cubinet_status add_fatbin(struct slim_file *file, uint64_t offset, uint64_t size)
{
    struct slim_fatbin fatbin = {.offset = offset, .size = size, .room = size, .new_size = size};
    struct slim_fatbin *fatbins = array_grow(file->fatbins, file->fatbin_count, sizeof(*fatbins));
    if (!fatbins) {
        return cbn_error_memory();
    }
    file->fatbins = fatbins;
    fatbins[file->fatbin_count] = fatbin;
    return add_images(file, &fatbins[file->fatbin_count++]);
}

/* Where the zeros at `at` end, at a multiple of the alignment from the section's start. */
static uint64_t skip_zeros(const unsigned char *bytes, uint64_t at, uint64_t end)
{
    uint64_t start = at;
    while (at < end && bytes[at] == 0) {
        at++;
    }
    uint64_t aligned = at < end ? at - at % ALIGNMENT : end;
    return aligned > start ? aligned : start;
}

static uint64_t skip_foreign(const unsigned char *bytes, uint64_t at, uint64_t end)
{
    const unsigned char *found =
        memmem(bytes + at + 1, end - at - 1, CBN_FATBIN_MAGIC, CBN_FATBIN_MAGIC_SIZE);
    return found ? (uint64_t)(found - bytes) : end;
}

/* Adds the fatbin that is `size` bytes long, and says where the zeros after it end. */
static cubinet_status take_fatbin(struct slim_file *file, const struct slim_section *section, uint64_t at,
                                  uint64_t size, uint64_t *out_end)
{
    cubinet_status status = add_fatbin(file, section->offset + at, size);
    if (!status) {
        *out_end = skip_zeros(file->elf.bytes + section->offset, at + size, section->size);
        file->fatbins[file->fatbin_count - 1].room = *out_end - at;
    }
    return status;
}

/* Between fatbins are zeros where others were taken out before, and what nobody knows is left alone. */
static cubinet_status find_fatbins(struct slim_file *file, const struct slim_section *section)
{
    const unsigned char *bytes = file->elf.bytes + section->offset;
    cubinet_status status = CUBINET_OK;
    for (uint64_t at = 0; !status && at < section->size;) {
        uint64_t end = skip_zeros(bytes, at, section->size);
        uint64_t size = end == at ? cbn_fatbin_size(bytes + at, section->size - at) : 0;
        if (size > 0) {
            status = take_fatbin(file, section, at, size, &end);
        } else if (end == at) {
            end = skip_foreign(bytes, at, section->size);
            file->foreign += end - at;
        }
        at = end;
    }
    return status;
}

cubinet_status slim_file_read(const void *bytes, size_t size, struct slim_file *out_file)
{
    struct slim_file file = {.fatbin_count = 0};
    cubinet_status status = open_elf(&file, bytes, size);
    status = status ? status : find_sections(&file);
    status = status ? status : check_overlaps(&file);
    for (size_t i = 0; !status && i < file.section_count; i++) {
        status = find_fatbins(&file, &file.sections[i]);
    }
    if (!status && file.fatbin_count == 0) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "there are no fatbins in it (no section .nv_fatbin that holds any)");
    }
    if (status) {
        slim_file_free(&file);
        return status;
    }
    *out_file = file;
    return CUBINET_OK;
}

void slim_file_free(struct slim_file *file)
{
    for (size_t i = 0; i < file->image_count; i++) {
        free(file->images[i].packed);
    }
    free(file->images);
    free(file->fatbins);
    free(file->sections);
    *file = (struct slim_file){0};
}
