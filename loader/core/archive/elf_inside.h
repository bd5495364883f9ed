/* SPDX-License-Identifier: Apache-2.0 */
/* Archives inside programs and shared libraries. */
#ifndef CBN_ELF_INSIDE_H
#define CBN_ELF_INSIDE_H

#include "loader/core/archive/storage.h"

/* The section that holds an archive. */
#define CBN_ARCHIVE_SECTION ".cubinet"

/* Part of a file. */
struct cbn_extent {
    size_t offset;
    size_t size;
};

/* Finds the archive in an ELF file of this machine's kind: the contents of the section CBN_ARCHIVE_SECTION,
 * or what was appended to the file. Nothing that the file says is believed before it was compared with its
 * size. `*out_archive` has no size if there is neither. CUBINET_ERROR_IO, CUBINET_ERROR_OUT_OF_MEMORY */
cubinet_status cbn_elf_inside(const struct cbn_storage *file, struct cbn_extent *out_archive);

#endif
