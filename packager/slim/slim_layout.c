/* SPDX-License-Identifier: Apache-2.0 */
#include "slim/slim_layout.h"

#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    TABLE_ALIGNMENT = 8,
    SECTION_ALIGNMENT = 8,
    LEAST_PAGES = 4,    /* of a cut: each is one more segment to map */
    MOST_CUTS = 512,    /* Linux takes tables of up to 64 KB, which is 1,170 segments, in programs */
    MOST_SEGMENTS = 64, /* that a file has before */
};

/* The largest page of the processor; 0 for one that is not known. */
static uint64_t page_of(const Elf64_Ehdr *header)
{
    switch (header->e_machine) {
    case EM_X86_64:
        return 4096;
    case EM_AARCH64:
    case EM_PPC64:
        return 65536;
    default:
        return 0;
    }
}

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static Elf64_Phdr segment_of(const struct slim_file *file, size_t number)
{
    Elf64_Phdr segment;
    cbn_elf_file_segment(&file->elf, number, &segment); /* never fails in memory */
    return segment;
}

static Elf64_Shdr section_of(const struct slim_file *file, size_t number)
{
    Elf64_Shdr section;
    memcpy(&section, file->elf.sections.bytes + number * sizeof(section), sizeof(section));
    return section;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The end of all that the headers tell of; `with_table`: the table of sections too. */
static uint64_t known_end(const struct slim_file *file, bool with_table)
{
    const Elf64_Ehdr *header = &file->elf.header;
    uint64_t end = header->e_phoff + file->elf.segment_count * sizeof(Elf64_Phdr);
    struct cbn_elf_section section;
    for (size_t i = 1; cbn_elf_file_section(&file->elf, i, &section); i++) {
        end = section.is_stored ? larger(end, section.offset + section.size) : end;
    }
    for (size_t i = 0; i < file->elf.segment_count; i++) {
        Elf64_Phdr segment = segment_of(file, i);
        end = segment.p_filesz > 0 ? larger(end, segment.p_offset + segment.p_filesz) : end;
    }
    return with_table ? larger(end, header->e_shoff + file->elf.section_count * sizeof(Elf64_Shdr)) : end;
}

static bool only_zeros(const unsigned char *bytes, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        if (bytes[i]) {
            return false;
        }
    }
    return true;
}

static const Elf64_Phdr *first_load(const Elf64_Phdr *segments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (segments[i].p_type == PT_LOAD) {
            return &segments[i];
        }
    }
    return NULL;
}

/* Segments are ascending, lie in the file, and have the distance of address and offset that their pages need.
 */
static bool are_sound(const Elf64_Phdr *segments, size_t count, const struct slim_file *file, uint64_t page)
{
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        const Elf64_Phdr *segment = &segments[i];
        bool is_load = segment->p_type == PT_LOAD;
        uint64_t memory_end;
        if (!cbn_elf_file_has(&file->elf, segment->p_offset, segment->p_filesz) ||
            (is_load && (segment->p_vaddr < end || segment->p_filesz > segment->p_memsz ||
                         (segment->p_vaddr - segment->p_offset) % page != 0 ||
                         __builtin_add_overflow(segment->p_vaddr, segment->p_memsz, &memory_end)))) {
            return false;
        }
        end = is_load ? memory_end : end;
    }
    return true;
}

/* NULL if parts of the file may be left out. */
static const char *refusal(const struct slim_file *file, const Elf64_Phdr *segments)
{
    const struct cbn_elf_file *elf = &file->elf;
    uint64_t page = page_of(&elf->header);
    uint64_t end = known_end(file, true);
    if (page == 0) {
        return "the size of its processor's pages is not known";
    }
    if (elf->segment_count > MOST_CUTS + MOST_SEGMENTS || elf->header.e_shnum != elf->section_count ||
        elf->section_count + file->fatbin_count + 1 >= SHN_LORESERVE) {
        return "it has too many segments or sections";
    }
    if (!are_sound(segments, elf->segment_count, file, page)) {
        return "its segments are not as linkers lay them out";
    }
    if (!only_zeros(elf->bytes, end, elf->size)) {
        return "something follows the end of the ELF file, which may rely on its place";
    }
    const Elf64_Phdr *first = first_load(segments, elf->segment_count);
    for (size_t i = 0; i < file->section_count; i++) {
        const Elf64_Phdr *segment = &segments[file->sections[i].segment];
        if (segment->p_flags & PF_W) {
            return "its fatbins are in a segment that can be written to";
        }
        if (segment->p_vaddr - segment->p_offset != first->p_vaddr - first->p_offset && i == 0) {
            return "its fatbins have another distance of addresses and offsets than its start";
        }
    }
    return NULL;
}

static int descending(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left < right) - (left > right);
}

/* The pages that are all zeros after a fatbin, from `from` on. */
static struct slim_cut pages_after(const struct slim_fatbin *fatbin, uint64_t from, uint64_t page)
{
    uint64_t start = round_up(larger(from, fatbin->offset + fatbin->new_size), page);
    uint64_t end = (fatbin->offset + fatbin->room) / page * page;
    bool is_enough = end > start && end - start >= LEAST_PAGES * page;
    return is_enough ? (struct slim_cut){start, end - start} : (struct slim_cut){0, 0};
}

/* The least size of a cut, of which there are not too many. */
static cubinet_status find_least(const struct slim_file *file, uint64_t from, uint64_t page,
                                 uint64_t *out_least)
{
    uint64_t *sizes = calloc(file->fatbin_count + 1, sizeof(*sizes));
    if (!sizes) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < file->fatbin_count; i++) {
        sizes[i] = pages_after(&file->fatbins[i], from, page).size;
    }
    qsort(sizes, file->fatbin_count, sizeof(*sizes), descending);
    *out_least = file->fatbin_count > MOST_CUTS ? sizes[MOST_CUTS] + 1 : 1;
    free(sizes);
    return CUBINET_OK;
}

/* Where the table of segments goes: into the first zeros that have room for it and are in the first section.
 */
static bool find_table(const struct slim_file *file, uint64_t size, uint64_t *out_offset)
{
    const struct slim_section *section = &file->sections[0];
    for (size_t i = 0; i < file->fatbin_count; i++) {
        const struct slim_fatbin *fatbin = &file->fatbins[i];
        uint64_t start = round_up(fatbin->offset + fatbin->new_size, TABLE_ALIGNMENT);
        uint64_t end = fatbin->offset + fatbin->room;
        if (end <= section->offset + section->size && start < end && end - start >= size) {
            *out_offset = start;
            return true;
        }
    }
    return false;
}

static uint64_t table_size(const struct slim_layout *layout)
{
    return layout->segment_count * sizeof(Elf64_Phdr);
}

static cubinet_status find_cuts(const struct slim_file *file, struct slim_layout *layout)
{
    uint64_t page = page_of(&file->elf.header);
    uint64_t most = file->fatbin_count < MOST_CUTS ? file->fatbin_count : MOST_CUTS;
    uint64_t room = (file->elf.segment_count + most) * sizeof(Elf64_Phdr);
    uint64_t least = 1;
    if (!find_table(file, room, &layout->table_offset)) {
        return CUBINET_OK;
    }
    uint64_t from = layout->table_offset + room;
    cubinet_status status = find_least(file, from, page, &least);
    if (status) {
        return status;
    }
    layout->cuts = calloc(most + 1, sizeof(*layout->cuts));
    if (!layout->cuts) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < file->fatbin_count; i++) {
        struct slim_cut cut = pages_after(&file->fatbins[i], from, page);
        if (cut.size >= least) {
            layout->cuts[layout->cut_count++] = cut;
        }
    }
    return CUBINET_OK;
}

uint64_t slim_layout_place(const struct slim_layout *layout, uint64_t offset)
{
    size_t low = 0; /* cuts that start before the byte */
    size_t high = layout->cut_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (layout->cuts[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    uint64_t left_out = 0;
    for (size_t i = 0; i < low; i++) {
        const struct slim_cut *cut = &layout->cuts[i];
        uint64_t size = offset - cut->offset;
        left_out += size < cut->size ? size : cut->size;
    }
    return offset - left_out;
}

/* A page of a large alignment may not be there any more after a cut; the smaller ones are. */
static uint64_t alignment_of(const Elf64_Phdr *segment)
{
    uint64_t alignment = segment->p_align;
    while (alignment > 1 && ((segment->p_vaddr - segment->p_offset) & (alignment - 1)) != 0) {
        alignment >>= 1;
    }
    return alignment;
}

/* A segment's part from `start` to `end` in the file, whose memory goes up to `memory_end`, counted in the
 * same way.
 */
static void add_part(struct slim_layout *layout, const Elf64_Phdr *segment, uint64_t start, uint64_t end,
                     uint64_t memory_end)
{
    uint64_t distance = segment->p_vaddr - segment->p_offset;
    uint64_t physical = segment->p_paddr - segment->p_offset;
    if (end == start && start != segment->p_offset) { /* the cut went up to the end of what is in the file */
        layout->segments[layout->segment_count - 1].p_memsz += memory_end - start;
        return;
    }
    Elf64_Phdr *part = &layout->segments[layout->segment_count++];
    *part = *segment;
    part->p_offset = slim_layout_place(layout, start);
    part->p_vaddr = start + distance;
    part->p_paddr = start + physical;
    part->p_filesz = end - start;
    part->p_memsz = memory_end - start;
    part->p_align = alignment_of(part);
}

static void split_segment(struct slim_layout *layout, const Elf64_Phdr *segment)
{
    uint64_t start = segment->p_offset;
    uint64_t end = segment->p_offset + segment->p_filesz;
    for (size_t i = 0; i < layout->cut_count; i++) {
        const struct slim_cut *cut = &layout->cuts[i];
        if (cut->offset >= start && cut->offset + cut->size <= end) {
            add_part(layout, segment, start, cut->offset, cut->offset + cut->size);
            start = cut->offset + cut->size;
        }
    }
    add_part(layout, segment, start, end, segment->p_offset + segment->p_memsz);
}

static cubinet_status make_segments(struct slim_layout *layout, const Elf64_Phdr *segments, size_t count)
{
    layout->segments = calloc(count + layout->cut_count, sizeof(*layout->segments));
    if (!layout->segments) {
        return cbn_error_memory();
    }
    uint64_t distance = 0;
    for (size_t i = 0; i < count; i++) {
        if (segments[i].p_type == PT_LOAD) {
            split_segment(layout, &segments[i]);
        } else {
            Elf64_Phdr *segment = &layout->segments[layout->segment_count++];
            *segment = segments[i];
            segment->p_offset = slim_layout_place(layout, segment->p_offset);
        }
    }
    distance = first_load(segments, count)->p_vaddr - first_load(segments, count)->p_offset;
    for (size_t i = 0; i < layout->segment_count; i++) {
        Elf64_Phdr *table = &layout->segments[i];
        if (table->p_type == PT_PHDR) {
            table->p_offset = layout->table_offset;
            table->p_vaddr = table->p_paddr = layout->table_offset + distance;
            table->p_filesz = table->p_memsz = table_size(layout);
        }
    }
    return CUBINET_OK;
}

/* The part of a section of fatbins from `start` to `end`; the first one takes the place of the whole. */
static void add_section_part(struct slim_layout *layout, const Elf64_Shdr *section, size_t number,
                             uint64_t start, uint64_t end)
{
    bool is_first = start == section->sh_offset;
    if (end <= start && !is_first) {
        return;
    }
    Elf64_Shdr *part = &layout->sections[is_first ? number : layout->section_count++];
    *part = *section;
    part->sh_offset = slim_layout_place(layout, start);
    part->sh_addr = section->sh_addr + (start - section->sh_offset);
    part->sh_size = end - start;
    part->sh_addralign = is_first ? section->sh_addralign : SECTION_ALIGNMENT;
}

/* Neither the cuts nor the table of segments belong to the section any more. */
static void split_section(struct slim_layout *layout, const Elf64_Shdr *section, size_t number)
{
    uint64_t start = section->sh_offset;
    uint64_t end = section->sh_offset + section->sh_size;
    uint64_t table = layout->table_offset;
    if (table >= start && table < end) {
        add_section_part(layout, section, number, start, table);
        start = round_up(table + table_size(layout), SECTION_ALIGNMENT);
    }
    for (size_t i = 0; i < layout->cut_count; i++) {
        const struct slim_cut *cut = &layout->cuts[i];
        if (cut->offset >= start && cut->offset + cut->size <= end) {
            add_section_part(layout, section, number, start, cut->offset);
            start = cut->offset + cut->size;
        }
    }
    add_section_part(layout, section, number, start, end);
}

static cubinet_status make_sections(const struct slim_file *file, struct slim_layout *layout)
{
    size_t count = file->elf.section_count;
    layout->sections = calloc(count + layout->cut_count + 1, sizeof(*layout->sections));
    if (!layout->sections) {
        return cbn_error_memory();
    }
    layout->section_count = count;
    for (size_t i = 0; i < count; i++) {
        layout->sections[i] = section_of(file, i);
        layout->sections[i].sh_offset = slim_layout_place(layout, layout->sections[i].sh_offset);
    }
    for (size_t i = 0; i < file->section_count; i++) {
        Elf64_Shdr section = section_of(file, file->sections[i].number);
        split_section(layout, &section, file->sections[i].number);
    }
    return CUBINET_OK;
}

/* The old table of sections goes if it is the last thing in the file, as linkers put it. */
static void place_end(const struct slim_file *file, struct slim_layout *layout)
{
    uint64_t table = file->elf.header.e_shoff;
    uint64_t end = known_end(file, false);
    layout->data_end = table >= end ? end : known_end(file, true);
    layout->sections_offset = round_up(slim_layout_place(layout, layout->data_end), TABLE_ALIGNMENT);
    layout->size = layout->sections_offset + layout->section_count * sizeof(Elf64_Shdr);
}

static void keep(const struct slim_file *file, struct slim_layout *layout, const char *why)
{
    slim_layout_free(layout);
    layout->why_kept = why;
    layout->data_end = file->elf.size;
    layout->size = file->elf.size;
}

static cubinet_status cut(const struct slim_file *file, struct slim_layout *layout)
{
    size_t count = file->elf.segment_count;
    Elf64_Phdr *segments = calloc(count + 1, sizeof(*segments));
    if (!segments) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < count; i++) {
        segments[i] = segment_of(file, i);
    }
    cubinet_status status = CUBINET_OK;
    const char *why = refusal(file, segments);
    if (!why) {
        status = find_cuts(file, layout);
    }
    if (!status && !why && layout->cut_count == 0) {
        why = "it has no run of several pages that could be cut out";
    }
    if (!status && !why) {
        status = make_segments(layout, segments, count);
    }
    if (!status && !why) {
        status = make_sections(file, layout);
    }
    free(segments);
    if (!status && why) {
        keep(file, layout, why);
    } else if (!status) {
        place_end(file, layout);
    }
    return status;
}

cubinet_status slim_layout_make(const struct slim_file *file, bool is_cut, struct slim_layout *out_layout)
{
    struct slim_layout layout = {.cut_count = 0};
    cubinet_status status = CUBINET_OK;
    if (is_cut) {
        status = cut(file, &layout);
    } else {
        keep(file, &layout, "nobody asks for it");
    }
    if (status) {
        slim_layout_free(&layout);
        return status;
    }
    *out_layout = layout;
    return CUBINET_OK;
}

void slim_layout_free(struct slim_layout *layout)
{
    free(layout->cuts);
    free(layout->segments);
    free(layout->sections);
    *layout = (struct slim_layout){0};
}
