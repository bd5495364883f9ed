/* SPDX-License-Identifier: Apache-2.0 */
#include "image/embedded.h"

#include "image/cubin.h"
#include "loader/core/archive/elf_file.h"
#include "loader/link/fatbin.h"

#include <string.h>

static uint64_t larger(uint64_t left, uint64_t right)
{
    return left > right ? left : right;
}

/* The end of a table; UINT64_MAX if it overflows. */
static uint64_t end_of(uint64_t offset, uint64_t count, uint64_t size)
{
    uint64_t bytes;
    uint64_t end;
    return __builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(offset, bytes, &end)
               ? UINT64_MAX
               : end;
}

/* The last byte of a section header is always zero, so that one that lacks it can be read. */
static bool read_section(const unsigned char *bytes, size_t size, uint64_t at, Elf64_Shdr *out_section)
{
    uint64_t end = end_of(at, 1, sizeof(*out_section));
    if (end > (uint64_t)size + 1) {
        return false;
    }
    *out_section = (Elf64_Shdr){0};
    memcpy(out_section, bytes + at, end > size ? sizeof(*out_section) - 1 : sizeof(*out_section));
    return true;
}

/* looked: is increased by the sections that were read, at most one for each 64 bytes. */
static size_t cubin_size(const unsigned char *bytes, size_t size, size_t *looked)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    if (!cbn_elf_header(bytes, size, &header) || header.e_machine != EM_CUDA ||
        header.e_shentsize != sizeof(section)) {
        return 0;
    }
    uint64_t end = larger(sizeof(header), end_of(header.e_phoff, header.e_phnum, header.e_phentsize));
    uint64_t count = header.e_shnum;
    if (count == 0 && header.e_shoff != 0 && read_section(bytes, size, header.e_shoff, &section)) {
        count = section.sh_size;
    }
    end = larger(end, end_of(header.e_shoff, count, sizeof(section)));
    if (end > (uint64_t)size + 1) {
        return 0;
    }
    *looked += (size_t)count;
    for (uint64_t i = 1; i < count; i++) {
        if (read_section(bytes, size, header.e_shoff + i * sizeof(section), &section) &&
            section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL) {
            end = larger(end, end_of(section.sh_offset, 1, section.sh_size));
        }
    }
    return end > (uint64_t)size + 1 ? 0 : (size_t)end;
}

size_t embedded_cubin_size(const unsigned char *bytes, size_t size)
{
    size_t looked = 0;
    return cubin_size(bytes, size, &looked);
}

/* What starts at `at`; without a size if nothing does. */
static struct embedded look(struct embedded_reader *reader)
{
    const unsigned char *bytes = reader->bytes + reader->at;
    size_t size = reader->size - reader->at;
    size_t fatbin = cbn_fatbin_size(bytes, size);
    size_t cubin = fatbin ? 0 : cubin_size(bytes, size, &reader->looked);
    cubin = cubin <= size ? cubin : size; /* its last byte may be missing */
    return (struct embedded){bytes, fatbin ? fatbin : cubin, fatbin > 0};
}

static size_t find(const struct embedded_reader *reader, size_t end, const void *magic, size_t magic_size)
{
    const unsigned char *found = memmem(reader->bytes + reader->at, end - reader->at, magic, magic_size);
    return found ? (size_t)(found - reader->bytes) : end;
}

/* The place of the next that could be one, or `size`. */
static size_t next_magic(struct embedded_reader *reader)
{
    if (reader->elf <= reader->at) {
        reader->elf = find(reader, reader->size, ELFMAG, SELFMAG);
    }
    return find(reader, reader->elf, CBN_FATBIN_MAGIC, CBN_FATBIN_MAGIC_SIZE);
}

bool embedded_next(struct embedded_reader *reader, struct embedded *out_found)
{
    const size_t most = reader->size / sizeof(Elf64_Shdr) + UINT16_MAX;
    while (reader->looked <= most && (reader->at = next_magic(reader)) < reader->size) {
        struct embedded found = look(reader);
        reader->at += found.size ? found.size : 1;
        if (found.size) {
            *out_found = found;
            return true;
        }
    }
    return false;
}
