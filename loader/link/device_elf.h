/* SPDX-License-Identifier: Apache-2.0 */
/* Device code as an ELF file: its header, sections and symbols, every access checked against the bytes that
 * there are. What they mean is read_cubin.c's affair. */
#ifndef CBN_DEVICE_ELF_H
#define CBN_DEVICE_ELF_H

#include "loader/core/archive/elf_file.h"

#include <cubinet/status.h>

struct cbn_elf {
    struct cbn_elf_file file;
    const unsigned char *symbols;         /* NULL if there are none */
    const unsigned char *symbol_sections; /* section numbers that don't fit a symbol, or NULL */
    size_t symbol_section_count;
    size_t symbol_count;
    struct cbn_elf_strings symbol_names;
};

struct cbn_elf_symbol {
    const char *name;
    unsigned char type;    /* STT_… */
    unsigned char binding; /* STB_… */
    unsigned char other;
    size_t section; /* 0: none */
    uint64_t size;
};

/* Opens device code, executable or relocatable, that stays in the caller's memory. Every section and segment
 * lies inside it. Fails with CUBINET_ERROR_DAMAGED on other files, with a message that says what they are.
 * There is nothing to close. */
cubinet_status cbn_elf_open(struct cbn_elf *elf, const void *data, size_t size);

/* Sections are numbered from 1 to file.section_count - 1, symbols from 0. */
cubinet_status cbn_elf_section(const struct cbn_elf *elf, size_t number, struct cbn_elf_section *out_section);
cubinet_status cbn_elf_symbol(const struct cbn_elf *elf, size_t number, struct cbn_elf_symbol *out_symbol);

#endif
