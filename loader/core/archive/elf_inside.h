/* SPDX-License-Identifier: Apache-2.0 */
/* Archives inside programs and shared libraries. */
#ifndef CBN_ELF_INSIDE_H
#define CBN_ELF_INSIDE_H

#include "loader/core/archive/storage.h"

/* The section that holds an archive. Those that a program was built with have names that go on with a dot and
 * the archive's symbol: ".cubinet.kernels". */
#define CBN_ARCHIVE_SECTION ".cubinet"

/* Part of a file. */
struct cbn_extent {
    size_t offset;
    size_t size;
};

/* What is inside an ELF file. */
struct cbn_inside {
    struct cbn_extent archive; /* without a size if there is none, or it is not the only one */
    size_t count;              /* of the archives that it was built with, whose */
    char names[200];           /* names these are, as far as there is room: "'kernels', 'more'" */
    bool is_cut;               /* there was no room for all */
};

/* Finds an archive in an ELF file of this machine's kind: the one that it was built with as `name`. Or, if
 * that is NULL, the contents of the section CBN_ARCHIVE_SECTION, else what was appended to the file, else the
 * one archive that it was built with. Nothing that the file says is believed before it was compared with its
 * size. CUBINET_ERROR_IO, CUBINET_ERROR_OUT_OF_MEMORY */
cubinet_status cbn_elf_inside(const struct cbn_storage *file, const char *name,
                              struct cbn_inside *out_inside);

#endif
