/* SPDX-License-Identifier: Apache-2.0 */
/* Where the parts of a slimmed file lie. Every address stays.
 *
 * A file keeps its layout: what left is zeros, which take no room where the file system has holes. Or whole
 * pages of those zeros are cut out of the file: the segment around them becomes several, and each part
 * but the last has more memory than file, which the dynamic loader and the kernel fill with zeros as they do
 * for .bss. So memory is the same byte for byte. The table of segments then moves into zeros before the first
 * cut, where the distance of addresses and offsets is still that of the file's start (kernels before 5.18
 * take it for granted). strip and objcopy write that table after the file's header, where it has no room any
 * more, and what they write does not run: so files are only cut for who asks for it. */
#ifndef SLIM_LAYOUT_H
#define SLIM_LAYOUT_H

#include "slim/slim_file.h"

#include <cubinet/status.h>

/* A part of the file that is left out. */
struct slim_cut {
    uint64_t offset;
    uint64_t size;
};

struct slim_layout {
    const char *why_kept; /* why nothing is cut; NULL if something is */
    struct slim_cut *cuts;
    size_t cut_count;
    uint64_t table_offset; /* of the table of segments, before and after */
    Elf64_Phdr *segments;
    size_t segment_count;
    Elf64_Shdr *sections;
    size_t section_count;
    uint64_t data_end; /* of what is copied of the file */
    uint64_t sections_offset;
    uint64_t size; /* of the new file */
};

/* is_cut: pages of zeros are cut out where that can be done. The caller frees the result. */
cubinet_status slim_layout_make(const struct slim_file *file, bool is_cut, struct slim_layout *out_layout);
void slim_layout_free(struct slim_layout *layout);

/* Where a byte of the file is in the new one. */
uint64_t slim_layout_place(const struct slim_layout *layout, uint64_t offset);

#endif
