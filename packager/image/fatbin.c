/* SPDX-License-Identifier: Apache-2.0 */
#include "image/fatbin.h"

#include "loader/core/archive/format.h"
#include "loader/core/archive/tileir.h"
#include "loader/core/support/error.h"

#ifdef CUBINET_HAS_LZ4
#include <lz4.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    VERSION_OF_ENTRIES = 0x101,
    CUBIN_MINOR = 8,
    CUBIN_MAJOR = 1,
    ALIGNMENT = 8,
};

/* No image has more: a limit to what is allocated for one that claims more. */
#define LARGEST ((uint64_t)1 << 31)

static cubinet_status damaged(size_t offset, const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "not a fatbin: %s at offset %zu", what, offset);
}

/* Sections are padded, and where images were taken out zeros are left. Containers start at multiples of their
 * alignment. */
static void skip_zeros(struct fatbin_reader *reader)
{
    size_t at = reader->at;
    while (at < reader->size && reader->bytes[at] == 0) {
        at++;
    }
    size_t start = at < reader->size ? at - at % ALIGNMENT : at;
    reader->at = start > reader->at ? start : reader->at;
}

/* Enters the container at `at`. */
static cubinet_status enter(struct fatbin_reader *reader)
{
    const unsigned char *header = reader->bytes + reader->at;
    size_t room = reader->size - reader->at;
    size_t size = cbn_fatbin_size(header, room);
    if (size == 0) {
        return damaged(reader->at, cbn_fatbin_is(header, room) ? "a container of another form, or cut off,"
                                                               : "no container");
    }
    reader->end = reader->at + size;
    reader->at += CBN_FATBIN_HEADER;
    reader->containers++;
    return CUBINET_OK;
}

cubinet_status fatbin_next(struct fatbin_reader *reader, bool *out_found, struct cbn_fatbin_entry *out_entry)
{
    while (reader->at >= reader->end) {
        skip_zeros(reader);
        if (reader->at >= reader->size) {
            *out_found = false;
            return CUBINET_OK;
        }
        cubinet_status status = enter(reader);
        if (status) {
            return status;
        }
    }
    if (!cbn_fatbin_read_entry(reader->bytes + reader->at, reader->end - reader->at, out_entry)) {
        return damaged(reader->at, "an entry of another form, or cut off,");
    }
    *out_found = true;
    reader->at += out_entry->size;
    return CUBINET_OK;
}

/* What an entry holds, as it holds it. */
struct payload {
    const unsigned char *bytes;
    size_t size;
    size_t raw_size;
    uint64_t flags;
};

static struct payload payload_of(const struct cbn_fatbin_entry *entry)
{
    size_t header_size = cbn_get32(entry->bytes + CBN_FATBIN_ENTRY_HEADER_SIZE);
    size_t packed = cbn_get32(entry->bytes + CBN_FATBIN_ENTRY_PACKED_SIZE);
    struct payload payload = {
        .bytes = entry->bytes + header_size,
        .size = entry->size - header_size,
        .flags = cbn_get64(entry->bytes + CBN_FATBIN_ENTRY_FLAGS),
    };
    payload.raw_size = payload.size;
    if (payload.flags & (CBN_FATBIN_LZ4 | CBN_FATBIN_ZSTD)) {
        payload.raw_size = (size_t)cbn_get64(entry->bytes + CBN_FATBIN_ENTRY_RAW_SIZE);
        payload.size = packed < payload.size ? packed : payload.size;
    }
    return payload;
}

static cubinet_status decompress(const struct payload *payload, unsigned char *out)
{
    size_t size = payload->raw_size;
    if (payload->flags & CBN_FATBIN_ZSTD) {
        size = ZSTD_decompress(out, payload->raw_size, payload->bytes, payload->size);
    } else if (payload->flags & CBN_FATBIN_LZ4) {
#ifdef CUBINET_HAS_LZ4
        size = (size_t)LZ4_decompress_safe((const char *)payload->bytes, (char *)out, (int)payload->size,
                                           (int)payload->raw_size);
#else
        return cbn_error(CUBINET_ERROR_NOT_FOUND,
                         "an image in the fatbin is compressed with LZ4, and this cubinet was built without "
                         "liblz4 (Debian's package is liblz4-dev)");
#endif
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
static cubinet_status wrap(const struct cbn_fatbin_entry *entry, unsigned char **out_data, size_t *out_size)
{
    unsigned char *data = calloc(1, CBN_FATBIN_HEADER + entry->size);
    if (!data) {
        return cbn_error_memory();
    }
    memcpy(data, CBN_FATBIN_MAGIC, CBN_FATBIN_MAGIC_SIZE);
    cbn_put16(data + CBN_FATBIN_VERSION, 1);
    cbn_put16(data + CBN_FATBIN_HEADER_SIZE, CBN_FATBIN_HEADER);
    cbn_put64(data + CBN_FATBIN_SIZE, entry->size);
    memcpy(data + CBN_FATBIN_HEADER, entry->bytes, entry->size);
    *out_data = data;
    *out_size = CBN_FATBIN_HEADER + entry->size;
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

cubinet_status fatbin_unpack(const struct cbn_fatbin_entry *entry, unsigned char **out_data, size_t *out_size)
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
    unsigned char header[CBN_FATBIN_ENTRY_HEADER] = {0};
    cbn_put16(header + CBN_FATBIN_ENTRY_KIND, is_ptx ? CBN_FATBIN_PTX : CBN_FATBIN_CUBIN);
    cbn_put16(header + CBN_FATBIN_ENTRY_VERSION, VERSION_OF_ENTRIES);
    cbn_put32(header + CBN_FATBIN_ENTRY_HEADER_SIZE, sizeof(header));
    cbn_put64(header + CBN_FATBIN_ENTRY_SIZE, image->size + padding);
    cbn_put16(header + CBN_FATBIN_ENTRY_MINOR, is_ptx ? (uint16_t)(image->ptx_isa % 10) : CUBIN_MINOR);
    cbn_put16(header + CBN_FATBIN_ENTRY_MAJOR, is_ptx ? (uint16_t)(image->ptx_isa / 10) : CUBIN_MAJOR);
    cbn_put32(header + CBN_FATBIN_ENTRY_NUMBER, (uint32_t)image->target.number);
    cbn_put64(header + CBN_FATBIN_ENTRY_FLAGS,
              CBN_FATBIN_USUAL | (image->target.suffix == 'a'   ? (uint64_t)CBN_FATBIN_SUFFIX_A
                                  : image->target.suffix == 'f' ? (uint64_t)CBN_FATBIN_SUFFIX_F
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
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "only nvFatbin can put Tile IR into a fatbin: leave out --plain, and use a toolkit with "
                     "nvFatbin (CUDA 13.1 or later)");
}

cubinet_status fatbin_write(const struct fatbin_image *images, size_t count, struct buffer *out)
{
    unsigned char header[CBN_FATBIN_HEADER] = {0};
    size_t start = out->size;
    memcpy(header, CBN_FATBIN_MAGIC, CBN_FATBIN_MAGIC_SIZE);
    buffer_append(out, header, sizeof(header));
    for (size_t i = 0; i < count; i++) {
        if (cbn_fatbin_is(images[i].data, images[i].size)) {
            buffer_append(out, images[i].data + CBN_FATBIN_HEADER, images[i].size - CBN_FATBIN_HEADER);
        } else if (images[i].target.kind == CUBINET_IMAGE_LTOIR) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                             "only nvFatbin can put LTO-IR into a fatbin: leave out --plain, and use a "
                             "toolkit with nvFatbin (CUDA 12.4 or later)");
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
    cbn_put16(container + CBN_FATBIN_VERSION, 1);
    cbn_put16(container + CBN_FATBIN_HEADER_SIZE, CBN_FATBIN_HEADER);
    cbn_put64(container + CBN_FATBIN_SIZE, out->size - start - CBN_FATBIN_HEADER);
    return CUBINET_OK;
}
