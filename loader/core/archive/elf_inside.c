/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/elf_inside.h"

#include "loader/core/archive/elf_file.h"

#include <stdio.h>
#include <string.h>

static struct cbn_extent extent_of(const struct cbn_elf_section *section)
{
    return (struct cbn_extent){.offset = (size_t)section->offset, .size = (size_t)section->size};
}

static bool is_word(const char *text)
{
    static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    return text[0] && text[strspn(text, characters)] == '\0';
}

/* "kernels" of ".cubinet.kernels"; "" of ".cubinet" alone; NULL of other sections. */
static const char *name_inside(const struct cbn_elf_section *section)
{
    size_t size = strlen(CBN_ARCHIVE_SECTION);
    if (!section->name || !section->is_stored || strncmp(section->name, CBN_ARCHIVE_SECTION, size) != 0) {
        return NULL;
    }
    const char *rest = section->name + size;
    return !rest[0] ? rest : rest[0] == '.' && is_word(rest + 1) ? rest + 1 : NULL;
}

static void add_name(struct cbn_inside *inside, const char *name)
{
    static const char more[] = ", ...";
    size_t used = strlen(inside->names);
    size_t room = sizeof(inside->names) - used - sizeof(more);
    if (inside->is_cut) {
        return;
    }
    int size = snprintf(inside->names + used, room, "%s'%s'", used ? ", " : "", name);
    if ((size_t)size >= room) {
        inside->is_cut = true;
        strcpy(inside->names + used, more);
    }
}

/* Finds the section of that name, "" for CBN_ARCHIVE_SECTION itself, and counts what the file was built with.
 * Gives the last of these. */
static struct cbn_extent find_sections(const struct cbn_elf_file *elf, const char *name,
                                       struct cbn_inside *inside)
{
    struct cbn_elf_section section;
    struct cbn_extent built_in = {0};
    for (size_t i = 1; cbn_elf_file_section(elf, i, &section); i++) {
        const char *found = name_inside(&section);
        if (found && inside->archive.size == 0 && strcmp(found, name) == 0) {
            inside->archive = extent_of(&section);
        }
        if (found && found[0]) {
            built_in = extent_of(&section);
            inside->count++;
            add_name(inside, found);
        }
    }
    return built_in;
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

cubinet_status cbn_elf_inside(const struct cbn_storage *storage, const char *name,
                              struct cbn_inside *out_inside)
{
    struct cbn_elf_file elf;
    struct cbn_extent built_in = {0};
    bool is_whole = false;
    *out_inside = (struct cbn_inside){0};
    cubinet_status status = cbn_elf_file_read(&elf, storage, &is_whole);
    if (!status && is_whole) {
        built_in = find_sections(&elf, name ? name : "", out_inside);
    }
    if (!status && is_whole && !name && out_inside->archive.size == 0) {
        status = find_appended(&elf, &out_inside->archive);
    }
    if (!status && !name && out_inside->archive.size == 0 && out_inside->count == 1) {
        out_inside->archive = built_in;
    }
    cbn_elf_file_close(&elf);
    return status;
}
