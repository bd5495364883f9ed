/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/elf_inside.h"

#include "loader/core/archive/elf_file.h"

#include <string.h>

static bool find_section(const struct cbn_elf_file *elf, struct cbn_extent *out_archive)
{
    struct cbn_elf_section section;
    for (size_t i = 1; cbn_elf_file_section(elf, i, &section); i++) {
        if (section.name && strcmp(section.name, CBN_ARCHIVE_SECTION) == 0 && section.is_stored) {
            *out_archive =
                (struct cbn_extent){.offset = (size_t)section.offset, .size = (size_t)section.size};
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
static cubinet_status end_of(const struct cbn_elf_file *elf, uint64_t *out_end)
{
    cubinet_status status = CUBINET_OK;
    struct cbn_elf_section section;
    Elf64_Phdr segment;
    uint64_t end = later(sizeof(elf->header), elf->header.e_shoff, elf->section_count * sizeof(Elf64_Shdr));
    for (size_t i = 1; cbn_elf_file_section(elf, i, &section); i++) {
        end = section.is_stored ? later(end, section.offset, section.size) : end;
    }
    for (size_t i = 0; i < elf->segment_count && !status; i++) {
        status = cbn_elf_file_segment(elf, i, &segment);
        end = status ? end : later(end, segment.p_offset, segment.p_filesz);
    }
    *out_end = end;
    return status;
}

static cubinet_status find_appended(const struct cbn_elf_file *elf, struct cbn_extent *out_archive)
{
    uint64_t end = 0;
    cubinet_status status = end_of(elf, &end);
    if (!status && end < elf->size) {
        *out_archive = (struct cbn_extent){.offset = (size_t)end, .size = elf->size - (size_t)end};
    }
    return status;
}

cubinet_status cbn_elf_inside(const struct cbn_storage *storage, struct cbn_extent *out_archive)
{
    struct cbn_elf_file elf;
    bool is_whole = false;
    *out_archive = (struct cbn_extent){0};
    cubinet_status status = cbn_elf_file_read(&elf, storage, &is_whole);
    if (!status && is_whole && !find_section(&elf, out_archive)) {
        status = find_appended(&elf, out_archive);
    }
    cbn_elf_file_close(&elf);
    return status;
}
