/* SPDX-License-Identifier: Apache-2.0 */
#include "image/split_note.h"

#include "loader/link/device_elf.h"

#include <ctype.h>
#include <string.h>

static const char option[] = "-split-compile ";

cubinet_status split_note_clear(unsigned char *cubin, size_t size)
{
    struct cbn_elf elf;
    struct cbn_elf_section section;
    cubinet_status status = cbn_elf_open(&elf, cubin, size);
    for (size_t i = 1; !status && i < elf.file.section_count; i++) {
        status = cbn_elf_section(&elf, i, &section);
        if (status || !section.bytes || strcmp(section.name, ".note.nv.tkinfo") != 0) {
            continue;
        }
        unsigned char *found = memmem(section.bytes, section.size, option, strlen(option));
        size_t before = found ? (size_t)(found + strlen(option) - section.bytes) : section.size;
        if (before < section.size && isdigit(section.bytes[before])) {
            found[strlen(option)] = '1';
        }
    }
    return status;
}
