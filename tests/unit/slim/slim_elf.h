/* SPDX-License-Identifier: Apache-2.0 */
/* A shared library with fatbins, as far as slimming one looks at it: a read-only segment with text, the
 * section .nv_fatbin and more read-only data, a segment that can be written to, and something that is not
 * loaded. */
#ifndef SLIM_ELF_H
#define SLIM_ELF_H

#include "base/buffer.h"

#include <elf.h>
#include <stdint.h>

enum {
    SLIM_ELF_PAGE = 4096,
    SLIM_ELF_PHDR = 0, /* numbers of segments */
    SLIM_ELF_READ,
    SLIM_ELF_WRITE,
    SLIM_ELF_NOTE,
    SLIM_ELF_SEGMENTS,
    SLIM_ELF_FATBINS = 2, /* number of the section */
    SLIM_ELF_SECTIONS = 7,
};

/* The bytes, in a buffer that the caller frees. Anything of it can be altered by these. */
void slim_elf_make(const void *fatbins, size_t size, struct buffer *out);
Elf64_Ehdr *slim_elf_header(struct buffer *elf);
Elf64_Phdr *slim_elf_segment(struct buffer *elf, int number);
Elf64_Shdr *slim_elf_section(struct buffer *elf, int number);

#endif
