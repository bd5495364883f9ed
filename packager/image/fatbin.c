/* SPDX-License-Identifier: Apache-2.0 */
#include "image/fatbin.h"

#include "loader/core/archive/format.h"
#include "loader/core/archive/tileir.h"
#include "loader/core/support/error.h"

#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    /* A container. */
    CONTAINER_VERSION = 4,     /* 16 bits: 1 */
    CONTAINER_HEADER_SIZE = 6, /* 16 bits: 16 */
    CONTAINER_SIZE = 8,        /* 64 bits: what follows the header */
    CONTAINER_HEADER = 16,

    /* An entry. */
    ENTRY_KIND = 0,         /* 16 bits */
    ENTRY_VERSION = 2,      /* 16 bits */
    ENTRY_HEADER_SIZE = 4,  /* 32 bits */
    ENTRY_SIZE = 8,         /* 64 bits: what follows its header, padded */
    ENTRY_PACKED_SIZE = 16, /* 32 bits: without padding, if it is compressed */
    ENTRY_MINOR = 24,       /* 16 bits: of PTX, its ISA version; of Tile IR its own; of a cubin 8 */
    ENTRY_MAJOR = 26,
    ENTRY_NUMBER = 28,   /* 32 bits: the architecture */
    ENTRY_FLAGS = 40,    /* 64 bits */
    ENTRY_RAW_SIZE = 56, /* 64 bits, if it is compressed */
    ENTRY_HEADER = 64,   /* the least there is of it */

    KIND_PTX = 1,
    KIND_CUBIN = 2,
    KIND_LTOIR = 8,
    KIND_TILEIR =
        0x80, /* as nvFatbinAddTileIR() writes it; its architecture is 0, its version in MAJOR, MINOR */

    FLAGS_LZ4 = 0x2000,
    FLAGS_ZSTD = 0x8000,
    FLAGS_A = 0x100000, /* suffix a */
    FLAGS_F = 0x200000,
    FLAGS_USUAL = 0x11, /* of every entry of a Linux toolkit: 64 bits, host linux */

    VERSION_OF_ENTRIES = 0x101,
    CUBIN_MINOR = 8,
    CUBIN_MAJOR = 1,
    ALIGNMENT = 8,
};

static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};

/* No image has more: a limit to what is allocated for one that claims more. */
#define LARGEST ((uint64_t)1 << 31)

bool fatbin_is(const void *data, size_t size)
{
    return size >= sizeof(magic) && memcmp(data, magic, sizeof(magic)) == 0;
}

static cubinet_status damaged(size_t offset, const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "not a fatbin: %s at offset %zu", what, offset);
}

static bool only_zeros(const struct fatbin_reader *reader)
{
    for (size_t i = reader->at; i < reader->size; i++) {
        if (reader->bytes[i]) {
            return false;
        }
    }
    return true;
}

/* Enters the container at `at`. */
static cubinet_status enter(struct fatbin_reader *reader)
{
    const unsigned char *header = reader->bytes + reader->at;
    size_t room = reader->size - reader->at;
    if (!fatbin_is(header, room)) {
        return damaged(reader->at, "no container");
    }
    if (room < CONTAINER_HEADER || cbn_get16(header + CONTAINER_VERSION) != 1 ||
        cbn_get16(header + CONTAINER_HEADER_SIZE) != CONTAINER_HEADER ||
        cbn_get64(header + CONTAINER_SIZE) > room - CONTAINER_HEADER) {
        return damaged(reader->at, "a container of another form, or cut off,");
    }
    reader->at += CONTAINER_HEADER;
    reader->end = reader->at + (size_t)cbn_get64(header + CONTAINER_SIZE);
    reader->containers++;
    return CUBINET_OK;
}

static cubinet_target target_of(const unsigned char *header)
{
    uint64_t flags = cbn_get64(header + ENTRY_FLAGS);
    uint32_t number = cbn_get32(header + ENTRY_NUMBER);
    cubinet_target target = {
        .number = number <= INT_MAX ? (int)number : INT_MAX,
        .suffix = flags & FLAGS_A   ? 'a'
                  : flags & FLAGS_F ? 'f'
                                    : 0,
    };
    switch (cbn_get16(header + ENTRY_KIND)) {
    case KIND_PTX:
        target.kind = CUBINET_IMAGE_PTX;
        break;
    case KIND_CUBIN:
        target.kind = CUBINET_IMAGE_CUBIN;
        break;
    case KIND_LTOIR:
        target.kind = CUBINET_IMAGE_LTOIR;
        break;
    case KIND_TILEIR:
        target = (cubinet_target){.kind = CUBINET_IMAGE_TILEIR};
        break;
    default:
        break;
    }
    return target;
}

cubinet_status fatbin_next(struct fatbin_reader *reader, bool *out_found, struct fatbin_entry *out_entry)
{
    while (reader->at >= reader->end) {
        if (only_zeros(reader)) { /* sections are padded */
            *out_found = false;
            return CUBINET_OK;
        }
        cubinet_status status = enter(reader);
        if (status) {
            return status;
        }
    }
    const unsigned char *header = reader->bytes + reader->at;
    size_t room = reader->end - reader->at;
    size_t header_size = room >= ENTRY_HEADER ? cbn_get32(header + ENTRY_HEADER_SIZE) : 0;
    if (header_size < ENTRY_HEADER || header_size > room ||
        cbn_get64(header + ENTRY_SIZE) > room - header_size) {
        return damaged(reader->at, "an entry of another form, or cut off,");
    }
    size_t size = header_size + (size_t)cbn_get64(header + ENTRY_SIZE);
    *out_entry = (struct fatbin_entry){target_of(header), cbn_get16(header + ENTRY_KIND), header, size};
    *out_found = true;
    reader->at += size;
    return CUBINET_OK;
}

/* What an entry holds, as it holds it. */
struct payload {
    const unsigned char *bytes;
    size_t size;
    size_t raw_size;
    uint64_t flags;
};

static struct payload payload_of(const struct fatbin_entry *entry)
{
    size_t header_size = cbn_get32(entry->bytes + ENTRY_HEADER_SIZE);
    size_t packed = cbn_get32(entry->bytes + ENTRY_PACKED_SIZE);
    struct payload payload = {
        .bytes = entry->bytes + header_size,
        .size = entry->size - header_size,
        .flags = cbn_get64(entry->bytes + ENTRY_FLAGS),
    };
    payload.raw_size = payload.size;
    if (payload.flags & (FLAGS_LZ4 | FLAGS_ZSTD)) {
        payload.raw_size = (size_t)cbn_get64(entry->bytes + ENTRY_RAW_SIZE);
        payload.size = packed < payload.size ? packed : payload.size;
    }
    return payload;
}

static cubinet_status decompress(const struct payload *payload, unsigned char *out)
{
    size_t size = payload->raw_size;
    if (payload->flags & FLAGS_ZSTD) {
        size = ZSTD_decompress(out, payload->raw_size, payload->bytes, payload->size);
    } else if (payload->flags & FLAGS_LZ4) {
        size = (size_t)LZ4_decompress_safe((const char *)payload->bytes, (char *)out, (int)payload->size,
                                           (int)payload->raw_size);
    } else {
        memcpy(out, payload->bytes, payload->size);
    }
    if (size == payload->raw_size) {
        return CUBINET_OK;
    }
    return ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation
               ? cbn_error_memory()
               : cbn_error(CUBINET_ERROR_DAMAGED, "an image in the fatbin does not decompress");
}

/* Container and entry, for what can't be told otherwise. */
static cubinet_status wrap(const struct fatbin_entry *entry, unsigned char **out_data, size_t *out_size)
{
    unsigned char *data = calloc(1, CONTAINER_HEADER + entry->size);
    if (!data) {
        return cbn_error_memory();
    }
    memcpy(data, magic, sizeof(magic));
    cbn_put16(data + CONTAINER_VERSION, 1);
    cbn_put16(data + CONTAINER_HEADER_SIZE, CONTAINER_HEADER);
    cbn_put64(data + CONTAINER_SIZE, entry->size);
    memcpy(data + CONTAINER_HEADER, entry->bytes, entry->size);
    *out_data = data;
    *out_size = CONTAINER_HEADER + entry->size;
    return CUBINET_OK;
}

/* What is not compressed is followed by zeros. */
static size_t size_without_padding(cubinet_image_kind kind, const unsigned char *data, size_t size)
{
    struct cbn_tileir tileir;
    if (kind == CUBINET_IMAGE_TILEIR && !cbn_tileir_open(data, size, &tileir)) {
        return size - tileir.size < ALIGNMENT ? tileir.size : size;
    }
    while (kind == CUBINET_IMAGE_PTX && size > 0 && data[size - 1] == '\0') {
        size--; /* what ends it, too */
    }
    return size;
}

cubinet_status fatbin_unpack(const struct fatbin_entry *entry, unsigned char **out_data, size_t *out_size)
{
    struct payload payload = payload_of(entry);
    if (entry->target.kind == CUBINET_IMAGE_LTOIR) {
        return wrap(entry, out_data, out_size);
    }
    if (payload.size == 0 || payload.raw_size == 0 || payload.raw_size > LARGEST || payload.size > LARGEST) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "an image in the fatbin claims to have %zu bytes",
                         payload.raw_size);
    }
    unsigned char *data = malloc(payload.raw_size);
    if (!data) {
        return cbn_error_memory();
    }
    cubinet_status status = decompress(&payload, data);
    if (status) {
        free(data);
        return status;
    }
    *out_data = data;
    *out_size = size_without_padding(entry->target.kind, data, payload.raw_size);
    return CUBINET_OK;
}

static void append_entry(const struct fatbin_image *image, struct buffer *out)
{
    static const unsigned char zeros[ALIGNMENT];
    bool is_ptx = image->target.kind == CUBINET_IMAGE_PTX;
    size_t size = image->size + (is_ptx ? 1 : 0); /* PTX ends with a NUL */
    size_t padding = (ALIGNMENT - size % ALIGNMENT) % ALIGNMENT + (is_ptx ? 1 : 0);
    unsigned char header[ENTRY_HEADER] = {0};
    cbn_put16(header + ENTRY_KIND, is_ptx ? KIND_PTX : KIND_CUBIN);
    cbn_put16(header + ENTRY_VERSION, VERSION_OF_ENTRIES);
    cbn_put32(header + ENTRY_HEADER_SIZE, sizeof(header));
    cbn_put64(header + ENTRY_SIZE, image->size + padding);
    cbn_put16(header + ENTRY_MINOR, is_ptx ? (uint16_t)(image->ptx_isa % 10) : CUBIN_MINOR);
    cbn_put16(header + ENTRY_MAJOR, is_ptx ? (uint16_t)(image->ptx_isa / 10) : CUBIN_MAJOR);
    cbn_put32(header + ENTRY_NUMBER, (uint32_t)image->target.number);
    cbn_put64(header + ENTRY_FLAGS, FLAGS_USUAL | (image->target.suffix == 'a'   ? (uint64_t)FLAGS_A
                                                   : image->target.suffix == 'f' ? (uint64_t)FLAGS_F
                                                                                 : 0));
    buffer_append(out, header, sizeof(header));
    buffer_append(out, image->data, image->size);
    while (padding > 0) {
        size_t part = padding < sizeof(zeros) ? padding : sizeof(zeros);
        buffer_append(out, zeros, part);
        padding -= part;
    }
}

cubinet_status fatbin_refuse_tileir(void)
{
    return cbn_error(
        CUBINET_ERROR_INVALID_ARGUMENT,
        "Tile IR goes into a fatbin by nvFatbin alone: do without --plain, and have nvFatbin (of CUDA "
        "13.1 or later) in the toolkit");
}

cubinet_status fatbin_write(const struct fatbin_image *images, size_t count, struct buffer *out)
{
    unsigned char header[CONTAINER_HEADER] = {0};
    size_t start = out->size;
    memcpy(header, magic, sizeof(magic));
    buffer_append(out, header, sizeof(header));
    for (size_t i = 0; i < count; i++) {
        if (fatbin_is(images[i].data, images[i].size)) {
            buffer_append(out, images[i].data + CONTAINER_HEADER, images[i].size - CONTAINER_HEADER);
        } else if (images[i].target.kind == CUBINET_IMAGE_LTOIR) {
            return cbn_error(
                CUBINET_ERROR_INVALID_ARGUMENT,
                "LTO-IR goes into a fatbin by nvFatbin alone: do without --plain, and have nvFatbin (of "
                "CUDA 12.4 or later) in the toolkit");
        } else if (images[i].target.kind == CUBINET_IMAGE_TILEIR) {
            return fatbin_refuse_tileir();
        } else {
            append_entry(&images[i], out);
        }
    }
    if (out->failed) {
        return cbn_error_memory();
    }
    unsigned char *container = (unsigned char *)out->data + start;
    cbn_put16(container + CONTAINER_VERSION, 1);
    cbn_put16(container + CONTAINER_HEADER_SIZE, CONTAINER_HEADER);
    cbn_put64(container + CONTAINER_SIZE, out->size - start - CONTAINER_HEADER);
    return CUBINET_OK;
}
