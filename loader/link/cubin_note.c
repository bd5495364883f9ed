/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/cubin_note.h"

#include "loader/core/archive/format.h"

#include <string.h>

enum {
    HEADER_SIZE = 12,
    ALIGNMENT = 4,

    CUINFO_TYPE = 1000,
    CUINFO_VERSION = 2, /* version 1, of CUDA 12, has no toolkit */
    CUINFO_TOOLKIT = 4, /* offset */
    CUINFO_SIZE = 6,

    TKINFO_TYPE = 2000,
    TKINFO_OPTIONS = 20, /* offset of the offset of the tool's options in the strings */
    TKINFO_STRINGS = 24, /* offset */
};

static uint64_t padded(uint32_t size)
{
    return ((uint64_t)size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

int cbn_cubin_note_next(struct cbn_cubin_note_reader *reader, struct cbn_cubin_note *out_note)
{
    if (reader->size == 0) {
        return 0;
    }
    if (reader->size < HEADER_SIZE) {
        return -1;
    }
    uint64_t start = HEADER_SIZE + padded(cbn_get32(reader->bytes));
    uint32_t size = cbn_get32(reader->bytes + 4);
    if (start > reader->size || size > reader->size - start) {
        return -1;
    }
    *out_note = (struct cbn_cubin_note){
        .type = cbn_get32(reader->bytes + 8),
        .description = reader->bytes + start,
        .size = size,
    };
    uint64_t end = start + padded(size);
    size_t step = end < reader->size ? (size_t)end : reader->size;
    reader->bytes += step;
    reader->size -= step;
    return 1;
}

unsigned cbn_cubin_note_toolkit(const struct cbn_cubin_note *note)
{
    if (note->type != CUINFO_TYPE || note->size < CUINFO_SIZE ||
        cbn_get16(note->description) != CUINFO_VERSION) {
        return 0;
    }
    return cbn_get16(note->description + CUINFO_TOOLKIT);
}

int cbn_cubin_note_has_arch(const struct cbn_cubin_note *note, const char *name)
{
    if (note->type != TKINFO_TYPE || note->size < TKINFO_STRINGS) {
        return 0;
    }
    const unsigned char *strings = note->description + TKINFO_STRINGS;
    size_t size = note->size - TKINFO_STRINGS;
    size_t offset = cbn_get32(note->description + TKINFO_OPTIONS);
    if (offset >= size || !memchr(strings + offset, '\0', size - offset)) {
        return 0;
    }
    static const char option[] = "-arch ";
    const char *found = strstr((const char *)strings + offset, option);
    if (!found) {
        return 0;
    }
    found += sizeof(option) - 1;
    size_t length = strcspn(found, " ");
    return strlen(name) == length && memcmp(found, name, length) == 0;
}
