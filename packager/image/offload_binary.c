/* SPDX-License-Identifier: Apache-2.0 */
#include "image/offload_binary.h"

#include "image/unpack.h"
#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x10\xff\x10\xad";
static const char what[] = "an offload binary of LLVM's";

enum {
    MAGIC = sizeof(magic) - 1,
    ALIGNMENT = 8, /* of each binary */

    /* The header, in bytes from its start. */
    VERSION = 4,
    SIZE = 8,
    ENTRIES = 16,
    ENTRY_COUNT = 24, /* from version 2 on; before, it is the size of the one entry */
    HEADER = 32,
    RAW_SIZE =
        32, /* from version 3 on: with the header, when what follows it is decompressed; 0: it is not */
    NEWEST_HEADER = 40,

    /* An entry. */
    ENTRY_STRINGS = 8,
    ENTRY_STRING_COUNT = 16,
    ENTRY_IMAGE = 24,
    ENTRY_IMAGE_SIZE = 32,
    ENTRY_SIZE = 40,

    /* A string: where its key is, where its value is, and from version 2 on the value's size. */
    STRING_VALUE = 8,
    OLD_STRING = 16,
    STRING = 24,
};
enum { ONE_ENTRY = 1, SEVERAL_ENTRIES, COMPRESSED, NEWEST = COMPRESSED };

/* One binary, decompressed. */
struct binary {
    const unsigned char *data;
    size_t size;
    uint32_t version;
};

bool offload_binary_is(const unsigned char *data, size_t size)
{
    return size >= MAGIC && memcmp(data, magic, MAGIC) == 0;
}

static cubinet_status cut_off(void)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "%s that is cut off", what);
}

static bool has(const struct binary *binary, uint64_t offset, uint64_t count)
{
    return offset <= binary->size && count <= binary->size - offset;
}

/* Whether one of the strings, which say the triple and the architecture, is of NVIDIA's. */
static bool is_nvidias(const struct binary *binary, const unsigned char *entry)
{
    uint64_t at = cbn_get64(entry + ENTRY_STRINGS);
    uint64_t count = cbn_get64(entry + ENTRY_STRING_COUNT);
    size_t step = binary->version == ONE_ENTRY ? OLD_STRING : STRING;
    for (uint64_t i = 0; i < count && has(binary, at, step); i++, at += step) {
        uint64_t value = cbn_get64(binary->data + at + STRING_VALUE);
        if (value < binary->size) {
            const char *text = (const char *)binary->data + value;
            if (memmem(text, strnlen(text, binary->size - (size_t)value), "nvptx", strlen("nvptx"))) {
                return true;
            }
        }
    }
    return false;
}

static cubinet_status read_entries(const struct binary *binary, offload_fn *found, void *user)
{
    uint64_t at = cbn_get64(binary->data + ENTRIES);
    uint64_t count = binary->version == ONE_ENTRY ? 1 : cbn_get64(binary->data + ENTRY_COUNT);
    cubinet_status status = CUBINET_OK;
    for (uint64_t i = 0; !status && i < count; i++, at += ENTRY_SIZE) {
        if (!has(binary, at, ENTRY_SIZE)) {
            return cut_off();
        }
        const unsigned char *entry = binary->data + at;
        uint64_t image = cbn_get64(entry + ENTRY_IMAGE);
        uint64_t image_size = cbn_get64(entry + ENTRY_IMAGE_SIZE);
        if (!has(binary, image, image_size)) {
            return cut_off();
        }
        if (image_size > 0 && is_nvidias(binary, entry)) {
            status = found(user, binary->data + image, (size_t)image_size);
        }
    }
    return status;
}

/* Entries, strings and images are compressed as one; places are those in the whole. */
static cubinet_status read_compressed(const struct binary *binary, uint64_t raw_size, offload_fn *found,
                                      void *user)
{
    unsigned char *raw = NULL;
    uint64_t start = cbn_get64(binary->data + ENTRIES);
    if (start < NEWEST_HEADER || start > binary->size || raw_size < start) {
        return cut_off();
    }
    const unsigned char *packed = binary->data + start;
    size_t packed_size = binary->size - (size_t)start;
    cubinet_status status = unpack(what, unpack_method_of(packed, packed_size), packed, packed_size,
                                   (size_t)start, raw_size - start, &raw);
    if (!status) {
        memcpy(raw, binary->data, (size_t)start);
        const struct binary whole = {raw, (size_t)raw_size, binary->version};
        status = read_entries(&whole, found, user);
    }
    free(raw);
    return status;
}

static cubinet_status read_binary(const struct binary *binary, offload_fn *found, void *user)
{
    if (binary->version < ONE_ENTRY || binary->version > NEWEST) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "%s of version %u: this cubinet reads versions 1 to %d", what, binary->version,
                         NEWEST);
    }
    uint64_t raw_size = binary->version >= COMPRESSED && binary->size >= NEWEST_HEADER
                            ? cbn_get64(binary->data + RAW_SIZE)
                            : 0;
    return raw_size > 0 ? read_compressed(binary, raw_size, found, user) : read_entries(binary, found, user);
}

cubinet_status offload_binary_read(const unsigned char *data, size_t size, offload_fn *found, void *user)
{
    cubinet_status status = CUBINET_OK;
    while (!status && offload_binary_is(data, size)) {
        uint64_t claimed = size >= HEADER ? cbn_get64(data + SIZE) : 0;
        if (claimed < HEADER || claimed > size) {
            return cut_off();
        }
        const struct binary binary = {data, (size_t)claimed, cbn_get32(data + VERSION)};
        status = read_binary(&binary, found, user);
        size_t step = binary.size + (ALIGNMENT - binary.size % ALIGNMENT) % ALIGNMENT;
        step = step < size ? step : size;
        data += step;
        size -= step;
    }
    return status;
}
