/* SPDX-License-Identifier: Apache-2.0 */
/* A cubin as an ELF file: its header, sections and symbols, through libelf, checked for bounds. What they
 * mean is cubin.c's affair. */
#ifndef CUBIN_ELF_H
#define CUBIN_ELF_H

#include <cubinet/status.h>

#include <gelf.h>

#include <stddef.h>
#include <stdint.h>

/* Strings of a string table. The last byte is NUL, so every offset below `size` is a string. */
struct cubin_strings {
    const char *text;
    size_t size;
};

struct cubin_elf {
    Elf *elf;
    GElf_Ehdr header;
    size_t section_count;
    struct cubin_strings section_names;
    Elf_Data *symbols;         /* NULL if there are none */
    Elf_Data *symbol_sections; /* section numbers that don't fit a symbol, or NULL */
    size_t symbol_count;
    struct cubin_strings symbol_names;
};

struct cubin_section {
    const char *name;
    uint32_t type;
    uint32_t info; /* of a section that belongs to a kernel, the number of its .text section */
    uint64_t size;
    const unsigned char *bytes; /* `size` of them, not aligned; NULL if the file holds none (.nv.shared) */
};

struct cubin_symbol {
    const char *name;
    unsigned char type;    /* STT_… */
    unsigned char binding; /* STB_… */
    unsigned char other;
    size_t section; /* 0: none */
    uint64_t size;
};

/* Opens an executable cubin that stays in the caller's memory; nothing is written there. Fails with
 * CUBINET_ERROR_DAMAGED on other files, with a message that says what they are. cubin_elf_close() even after
 * a failure. */
cubinet_status cubin_elf_open(struct cubin_elf *cubin, const void *data, size_t size);
void cubin_elf_close(struct cubin_elf *cubin);

/* Sections are numbered from 1 to section_count - 1, symbols from 0. */
cubinet_status cubin_elf_section(const struct cubin_elf *cubin, size_t number,
                                 struct cubin_section *out_section);
cubinet_status cubin_elf_symbol(const struct cubin_elf *cubin, size_t number,
                                struct cubin_symbol *out_symbol);

#endif
