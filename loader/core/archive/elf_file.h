/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files of 64 bits, little-endian: host code and device code. Nothing that a file says is believed before
 * it was compared with its size; nothing in it need be aligned. */
#ifndef CBN_ELF_FILE_H
#define CBN_ELF_FILE_H

#include "loader/core/archive/storage.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strings of a string table. The last byte is NUL, so every offset below `size` is a string. */
struct cbn_elf_strings {
    const char *text;
    size_t size; /* 0: the table is missing or cut off */
};

struct cbn_elf_file {
    const unsigned char *bytes;        /* NULL: of the file its tables alone are read */
    const struct cbn_storage *storage; /* it is in, without `bytes` */
    size_t size;
    Elf64_Ehdr header;
    size_t segment_count; /* whose headers lie in the file: of a whole one header.e_phnum */
    size_t section_count; /* the headers of all of them lie in the file */
    struct cbn_taken sections;
    struct cbn_taken names;
    struct cbn_elf_strings section_names;
};

struct cbn_elf_section {
    const char *name; /* NULL: it lies outside the names */
    uint32_t type;
    uint32_t link;
    uint32_t info; /* of a section that belongs to a kernel, the number of its .text section */
    uint64_t flags;
    uint64_t offset;
    uint64_t size;
    uint64_t entry_size;
    const unsigned char *bytes; /* `size` of them, not aligned; NULL if the file holds none (.nv.shared), or
                                   is not in memory */
    bool is_stored;             /* the file holds them, however many they are */
    bool is_outside;            /* the file should hold them, and is too short */
};

/* Whether the bytes start as an ELF file does. */
bool cbn_is_elf(const void *bytes, size_t size);

/* The header of a file of this kind, which may be cut off after it. False if it is none. */
bool cbn_elf_header(const void *bytes, size_t size, Elf64_Ehdr *out_header);

/* Opens a file that stays in the caller's memory; there is nothing to close. False if it is none, is of
 * another kind, or its header or section table is cut off. A file without sections is fine. */
bool cbn_elf_file_open(struct cbn_elf_file *elf, const void *bytes, size_t size);

/* The same with copies of the tables of a file, for the caller to close in any case. CUBINET_ERROR_IO,
 * CUBINET_ERROR_OUT_OF_MEMORY */
cubinet_status cbn_elf_file_read(struct cbn_elf_file *elf, const struct cbn_storage *storage,
                                 bool *out_is_whole);
void cbn_elf_file_close(struct cbn_elf_file *elf);

/* Sections are numbered from 1 to section_count - 1; false for others. */
bool cbn_elf_file_section(const struct cbn_elf_file *elf, uint64_t number,
                          struct cbn_elf_section *out_section);

/* Segments are numbered from 0 to segment_count - 1. Of a file in memory this never fails. */
cubinet_status cbn_elf_file_segment(const struct cbn_elf_file *elf, size_t number, Elf64_Phdr *out_segment);

bool cbn_elf_file_has(const struct cbn_elf_file *elf, uint64_t offset, uint64_t size);

/* The strings that a section of a file in memory holds. */
struct cbn_elf_strings cbn_elf_file_strings(const struct cbn_elf_file *elf, uint64_t section);

/* NULL if the offset is outside. */
const char *cbn_elf_string(const struct cbn_elf_strings *strings, uint64_t offset);

#endif
