/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing here asks the layout where something is: what was written must tell by itself. */
#include "slim/slim_write.h"

#include "image/fatbin.h"
#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static cubinet_status differs(const char *what, uint64_t where)
{
    return cbn_error(CUBINET_ERROR_DAMAGED,
                     "the new file is wrong: %s at 0x%llx; the old file is unchanged. This is a bug in "
                     "cubinet: please report it",
                     what, (unsigned long long)where);
}

/* What was written, as it is in memory; or, where the layout is kept, as it is in the file. */
struct memory {
    const struct cbn_elf_file *elf;
    bool is_file;
};

/* What is loaded at an address: bytes of the file, or zeros (NULL). out_size: how many alike follow; 0 if
 * nothing is loaded there. */
static const unsigned char *loaded_at(const struct memory *memory, uint64_t address, uint32_t *out_flags,
                                      uint64_t *out_size)
{
    const struct cbn_elf_file *elf = memory->elf;
    *out_size = 0;
    if (memory->is_file) {
        *out_flags = 0;
        *out_size = address < elf->size ? elf->size - address : 0;
        return elf->bytes + address;
    }
    for (size_t i = 0; i < elf->segment_count; i++) {
        Elf64_Phdr segment;
        cbn_elf_file_segment(elf, i, &segment);
        uint64_t in = address - segment.p_vaddr;
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && in < segment.p_memsz &&
            cbn_elf_file_has(elf, segment.p_offset, segment.p_filesz)) {
            bool is_stored = in < segment.p_filesz;
            *out_flags = segment.p_flags;
            *out_size = (is_stored ? segment.p_filesz : segment.p_memsz) - in;
            return is_stored ? elf->bytes + segment.p_offset + in : NULL;
        }
    }
    return NULL;
}

static bool only_zeros(const unsigned char *bytes, uint64_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Memory from an address on; expected: NULL for zeros. */
static bool holds(const struct memory *memory, uint64_t address, uint32_t flags,
                  const unsigned char *expected, uint64_t size)
{
    while (size > 0) {
        uint32_t found_flags = 0;
        uint64_t found_size = 0;
        const unsigned char *found = loaded_at(memory, address, &found_flags, &found_size);
        uint64_t part = found_size < size ? found_size : size;
        bool is_equal = part > 0 && found_flags == flags &&
                        (found && expected ? memcmp(found, expected, part) == 0
                                           : (!found || only_zeros(found, part)) &&
                                                 (!expected || only_zeros(expected, part)));
        if (!is_equal) {
            return false;
        }
        address += part;
        size -= part;
        expected = expected ? expected + part : NULL;
    }
    return true;
}

/* The image in a compressed entry is the one that was not compressed before. */
static bool unpacks_to(const struct slim_image *image, cubinet_status *out_status)
{
    struct cbn_fatbin_entry packed;
    unsigned char *now = NULL;
    unsigned char *before = NULL;
    size_t now_size = 0;
    size_t before_size = 0;
    bool is_entry = cbn_fatbin_read_entry(image->packed, image->packed_size, &packed) &&
                    packed.size == image->packed_size && packed.code == image->entry.code;
    cubinet_status status = is_entry ? fatbin_unpack(&packed, &now, &now_size) : CUBINET_ERROR_DAMAGED;
    status = status ? status : fatbin_unpack(&image->entry, &before, &before_size);
    bool is_equal = !status && now_size == before_size && memcmp(now, before, now_size) == 0;
    *out_status = status == CUBINET_ERROR_OUT_OF_MEMORY ? status : CUBINET_OK;
    free(now);
    free(before);
    return is_equal;
}

/* A fatbin has its images that stay, in their order, and zeros after them. out_status: memory is out */
static bool holds_fatbin(const struct slim_plan *plan, const struct memory *memory, uint64_t address,
                         uint32_t flags, const struct slim_fatbin *fatbin, cubinet_status *out_status)
{
    unsigned char header[CBN_FATBIN_HEADER];
    uint64_t at = sizeof(header);
    memcpy(header, plan->file.elf.bytes + fatbin->offset, sizeof(header));
    cbn_put64(header + CBN_FATBIN_SIZE, fatbin->new_size - sizeof(header));
    bool is_equal = holds(memory, address, flags, header, sizeof(header));
    for (size_t i = 0; is_equal && i < fatbin->image_count; i++) {
        const struct slim_image *image = &plan->file.images[fatbin->first_image + i];
        uint64_t size = image->packed ? image->packed_size : image->entry.size;
        if (image->stays) {
            is_equal =
                (!image->packed || unpacks_to(image, out_status)) &&
                holds(memory, address + at, flags, image->packed ? image->packed : image->entry.bytes, size);
            at += size;
        }
    }
    return is_equal && at == fatbin->new_size;
}

/* Where the table of segments went, which was zeros. */
static uint64_t table_size(const struct cbn_elf_file *elf)
{
    return elf->segment_count * sizeof(Elf64_Phdr);
}

/* Zeros from `start` to `end`, offsets in the old file, but for the new table of segments. */
static bool holds_zeros(const struct memory *memory, const Elf64_Phdr *segment, uint64_t start, uint64_t end,
                        uint64_t table)
{
    const struct cbn_elf_file *elf = memory->elf;
    uint64_t distance = segment->p_vaddr - segment->p_offset;
    if (table >= start && table < end) {
        return holds(memory, start + distance, segment->p_flags, NULL, table - start) &&
               holds(memory, table + distance, segment->p_flags, elf->bytes + elf->header.e_phoff,
                     table_size(elf)) &&
               holds_zeros(memory, segment, table + table_size(elf), end, 0);
    }
    return holds(memory, start + distance, segment->p_flags, NULL, end - start);
}

/* A segment of the old file: what is in memory of it. The file's own header, whose numbers of tables differ,
 * is compared elsewhere. */
static cubinet_status check_segment(const struct slim_plan *plan, const struct slim_layout *layout,
                                    const struct memory *memory, const Elf64_Phdr *segment)
{
    const struct slim_file *file = &plan->file;
    uint64_t distance = segment->p_vaddr - segment->p_offset;
    uint64_t end = segment->p_offset + segment->p_filesz;
    uint64_t at = segment->p_offset < sizeof(Elf64_Ehdr) ? sizeof(Elf64_Ehdr) : segment->p_offset;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < file->fatbin_count; i++) {
        const struct slim_fatbin *fatbin = &file->fatbins[i];
        if (fatbin->offset < at || fatbin->offset >= end) {
            continue;
        }
        if (!holds(memory, at + distance, segment->p_flags, file->elf.bytes + at, fatbin->offset - at)) {
            return differs("something else than fatbins", at + distance);
        }
        at = fatbin->offset + fatbin->room;
        bool is_equal =
            fatbin->new_size < fatbin->size
                ? holds_fatbin(plan, memory, fatbin->offset + distance, segment->p_flags, fatbin, &status)
                : holds(memory, fatbin->offset + distance, segment->p_flags, file->elf.bytes + fatbin->offset,
                        fatbin->size);
        if (status) {
            return status;
        }
        if (!is_equal ||
            !holds_zeros(memory, segment, fatbin->offset + fatbin->new_size, at, layout->table_offset)) {
            return differs("the fatbin", fatbin->offset + distance);
        }
    }
    if (end > at && !holds(memory, at + distance, segment->p_flags, file->elf.bytes + at, end - at)) {
        return differs("something else than fatbins", at + distance);
    }
    return holds(memory, segment->p_vaddr + segment->p_filesz, segment->p_flags, NULL,
                 segment->p_memsz - segment->p_filesz)
               ? CUBINET_OK
               : differs("zeros", segment->p_vaddr + segment->p_filesz);
}

/* Sections keep their numbers, and those that are not of fatbins everything else, too. */
static cubinet_status check_sections(const struct slim_file *file, const struct cbn_elf_file *elf)
{
    struct cbn_elf_section before;
    struct cbn_elf_section now;
    for (size_t i = 1; cbn_elf_file_section(&file->elf, i, &before); i++) {
        bool is_fatbins = before.name && strcmp(before.name, ".nv_fatbin") == 0;
        bool is_equal = cbn_elf_file_section(elf, i, &now) && now.type == before.type &&
                        now.flags == before.flags && now.link == before.link && now.info == before.info &&
                        !now.bytes == !before.bytes;
        if (is_equal && !is_fatbins) {
            is_equal = now.size == before.size &&
                       (!before.bytes || memcmp(now.bytes, before.bytes, (size_t)before.size) == 0);
        }
        if (!is_equal) {
            return differs("section", i);
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_header(const struct slim_file *file, const struct cbn_elf_file *elf)
{
    Elf64_Ehdr header = elf->header;
    header.e_phoff = file->elf.header.e_phoff;
    header.e_phnum = file->elf.header.e_phnum;
    header.e_shoff = file->elf.header.e_shoff;
    header.e_shnum = file->elf.header.e_shnum;
    return memcmp(&header, &file->elf.header, sizeof(header)) == 0 ? CUBINET_OK : differs("the header", 0);
}

static cubinet_status check_segments(const struct slim_plan *plan, const struct slim_layout *layout,
                                     const struct cbn_elf_file *elf)
{
    const struct memory memory = {.elf = elf};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < plan->file.elf.segment_count; i++) {
        Elf64_Phdr segment;
        cbn_elf_file_segment(&plan->file.elf, i, &segment);
        if (segment.p_type == PT_LOAD) {
            status = check_segment(plan, layout, &memory, &segment);
        }
    }
    return status;
}

/* Everything but the fatbins is where it was, loaded or not. */
static cubinet_status check_file(const struct slim_plan *plan, const struct slim_layout *layout,
                                 const struct cbn_elf_file *elf)
{
    const struct memory memory = {elf, true};
    const Elf64_Phdr all = {.p_filesz = plan->file.elf.size, .p_memsz = plan->file.elf.size};
    return elf->size == plan->file.elf.size ? check_segment(plan, layout, &memory, &all)
                                            : differs("another size", elf->size);
}

cubinet_status slim_check(const struct slim_plan *plan, const struct slim_layout *layout, const void *written,
                          size_t size)
{
    const struct slim_file *file = &plan->file;
    struct cbn_elf_file elf;
    if (!cbn_elf_file_open(&elf, written, size) || elf.segment_count != elf.header.e_phnum) {
        return differs("no ELF file", 0);
    }
    cubinet_status status = check_header(file, &elf);
    status = status ? status : check_sections(file, &elf);
    if (!status) {
        status = layout->why_kept ? check_file(plan, layout, &elf) : check_segments(plan, layout, &elf);
    }
    return status;
}
