/* SPDX-License-Identifier: Apache-2.0 */
/* Archives inside programs and shared libraries. */
#ifndef CBN_ELF_INSIDE_H
#define CBN_ELF_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

/* The section that holds an archive. */
#define CBN_ARCHIVE_SECTION ".cubinet"

/* Part of a file. */
struct cbn_extent {
    size_t offset;
    size_t size;
};

/* Whether the bytes start as an ELF file does. */
bool cbn_is_elf(const void *bytes, size_t size);

/* Finds the archive in an ELF file of this machine's kind: the contents of the section CBN_ARCHIVE_SECTION,
 * or what was appended to the file. Nothing that the file says is believed before it was compared with its
 * size. False if there is neither. */
bool cbn_elf_inside(const void *bytes, size_t size, struct cbn_extent *out_archive);

#endif
