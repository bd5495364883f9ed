/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/tileir.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <string.h>

enum {
    VERSION_MAJOR = 8,
    VERSION_MINOR = 9,
    VERSION_TAG = 10, /* 16 bits */
    HEADER = 12,

    SECTION_END = 0,
    SECTION_ALIGNED = 0x80, /* bit of its id */
};

static const unsigned char magic[] = {0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0};

bool cbn_tileir_is(const void *data, size_t size)
{
    return size >= sizeof(magic) && memcmp(data, magic, sizeof(magic)) == 0;
}

bool cbn_tileir_byte(struct cbn_tileir_span *span, unsigned char *out_byte)
{
    if (span->at == span->end) {
        return false;
    }
    *out_byte = *span->at++;
    return true;
}

bool cbn_tileir_varint(struct cbn_tileir_span *span, uint64_t *out_number)
{
    const unsigned char *at = span->at;
    uint64_t number = 0;
    for (unsigned shift = 0; at != span->end && shift < 64; shift += 7) {
        uint64_t bits = *at & 0x7f;
        if (shift == 63 && bits > 1) {
            return false;
        }
        number |= bits << shift;
        if (!(*at++ & 0x80)) {
            span->at = at;
            *out_number = number;
            return true;
        }
    }
    return false;
}

bool cbn_tileir_skip(struct cbn_tileir_span *span, uint64_t size)
{
    if (size > (uint64_t)(span->end - span->at)) {
        return false;
    }
    span->at += size;
    return true;
}

/* Bytecode in reading. */
struct reader {
    const unsigned char *start;
    struct cbn_tileir_span rest;
};

static cubinet_status damaged(const struct reader *reader, const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "not Tile IR: %s at offset %zu", what,
                     (size_t)(reader->rest.at - reader->start));
}

/* Sections are aligned to their place in the file. */
static bool skip_padding(struct reader *reader)
{
    uint64_t alignment = 0;
    if (!cbn_tileir_varint(&reader->rest, &alignment) || alignment == 0 || (alignment & (alignment - 1))) {
        return false;
    }
    uint64_t offset = (uint64_t)(reader->rest.at - reader->start);
    return cbn_tileir_skip(&reader->rest, -offset & (alignment - 1));
}

/* What comes after a section's id. */
static cubinet_status read_section(struct reader *reader, unsigned char id, struct cbn_tileir *tileir)
{
    uint64_t size = 0;
    unsigned number = id & ~(unsigned)SECTION_ALIGNED;
    if (!cbn_tileir_varint(&reader->rest, &size) || ((id & SECTION_ALIGNED) && !skip_padding(reader))) {
        return damaged(reader, "a section of another form");
    }
    const unsigned char *start = reader->rest.at;
    if (!cbn_tileir_skip(&reader->rest, size)) {
        return damaged(reader, "a section that is cut off");
    }
    if (number < CBN_TILEIR_SECTIONS) {
        if (tileir->sections[number].at) {
            return damaged(reader, "a section that was there before");
        }
        tileir->sections[number] = (struct cbn_tileir_span){start, reader->rest.at};
    }
    return CUBINET_OK;
}

static cubinet_status read_sections(struct reader *reader, struct cbn_tileir *tileir)
{
    for (;;) {
        unsigned char id = 0;
        if (!cbn_tileir_byte(&reader->rest, &id)) {
            return damaged(reader, "an end without its marker");
        }
        if (id == SECTION_END) {
            tileir->size = (size_t)(reader->rest.at - reader->start);
            return CUBINET_OK;
        }
        cubinet_status status = id == SECTION_ALIGNED ? damaged(reader, "an end of another form")
                                                      : read_section(reader, id, tileir);
        if (status) {
            return status;
        }
    }
}

cubinet_status cbn_tileir_open(const void *data, size_t size, struct cbn_tileir *out_tileir)
{
    const unsigned char *bytes = data;
    struct reader reader = {.start = bytes, .rest = {bytes, bytes + size}};
    struct cbn_tileir tileir = {0};
    if (!cbn_tileir_is(data, size) || size < HEADER) {
        return damaged(&reader, "no header");
    }
    if (bytes[VERSION_MAJOR] == 0 || bytes[VERSION_MINOR] > 9) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "not Tile IR: it claims to be of version %u.%u",
                         bytes[VERSION_MAJOR], bytes[VERSION_MINOR]);
    }
    tileir.number = 10 * bytes[VERSION_MAJOR] + bytes[VERSION_MINOR];
    tileir.tag = cbn_get16(bytes + VERSION_TAG);
    reader.rest.at += HEADER;
    cubinet_status status = read_sections(&reader, &tileir);
    if (!status) {
        *out_tileir = tileir;
    }
    return status;
}
