/* SPDX-License-Identifier: Apache-2.0 */
#include "image/offload.h"

#include "image/offload_binary.h"
#include "image/unpack.h"
#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
static const char compressed_magic[] = "CCOB";

enum {
    BUNDLE_MAGIC = sizeof(bundle_magic) - 1,
    COMPRESSED_MAGIC = sizeof(compressed_magic) - 1,
    /* The header of a compressed bundle, in bytes from its start. What follows depends on the version: the
     * size of the file (not in version 1), the size before compression, and a digest of 8 bytes. */
    VERSION = 4,
    METHOD = 6,
    SIZES = 8,
    DIGEST_SIZE = 8,
};

static bool starts_with(const unsigned char *data, size_t size, const char *magic, size_t magic_size)
{
    return size >= magic_size && memcmp(data, magic, magic_size) == 0;
}

static bool is_compressed(const unsigned char *data, size_t size)
{
    return starts_with(data, size, compressed_magic, COMPRESSED_MAGIC);
}

bool offload_is(const void *data, size_t size)
{
    return starts_with(data, size, bundle_magic, BUNDLE_MAGIC) || is_compressed(data, size) ||
           offload_binary_is(data, size);
}

static cubinet_status cut_off(void)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "an offload bundle of clang's that is cut off");
}

static bool has(size_t size, uint64_t offset, uint64_t count)
{
    return offset <= size && count <= size - offset;
}

static bool is_nvidias(const unsigned char *triple, size_t size)
{
    return memmem(triple, size, "nvptx", strlen("nvptx")) != NULL;
}

/* A count of entries, and for each the place and size of its image, and its triple. */
static cubinet_status read_bundle(const unsigned char *data, size_t size, offload_fn *found, void *user)
{
    enum { NUMBER = 8, ENTRY = 3 * NUMBER };
    size_t at = BUNDLE_MAGIC + NUMBER;
    if (!has(size, BUNDLE_MAGIC, NUMBER)) {
        return cut_off();
    }
    for (uint64_t left = cbn_get64(data + BUNDLE_MAGIC); left > 0; left--) {
        if (!has(size, at, ENTRY)) {
            return cut_off();
        }
        uint64_t image = cbn_get64(data + at);
        uint64_t image_size = cbn_get64(data + at + NUMBER);
        uint64_t triple_size = cbn_get64(data + at + NUMBER + NUMBER);
        at += ENTRY;
        if (!has(size, at, triple_size) || !has(size, image, image_size)) {
            return cut_off();
        }
        cubinet_status status = image_size > 0 && is_nvidias(data + at, (size_t)triple_size)
                                    ? found(user, data + image, (size_t)image_size)
                                    : CUBINET_OK;
        if (status) {
            return status;
        }
        at += (size_t)triple_size;
    }
    return CUBINET_OK;
}

/* A compressed bundle: its bytes, and what its header says. */
struct compressed {
    const unsigned char *bytes;
    size_t size;
    size_t whole; /* with the header */
    uint64_t raw_size;
    enum unpack_method method;
};

static cubinet_status read_header(const unsigned char *data, size_t size, struct compressed *out)
{
    static const size_t number_size[] = {0, sizeof(uint32_t), sizeof(uint32_t), sizeof(uint64_t)};
    enum { NEWEST = sizeof(number_size) / sizeof(number_size[0]) - 1 };
    if (size < SIZES) {
        return cut_off();
    }
    unsigned version = cbn_get16(data + VERSION);
    unsigned method = cbn_get16(data + METHOD);
    if (version < 1 || version > NEWEST || method > UNPACK_ZSTD) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "a compressed offload bundle of clang's of version %u, method %u: this cubinet reads "
            "versions 1 to %d, methods 0 (zlib) and 1 (zstd); take it apart with "
            "`clang-offload-bundler --unbundle`, and pack what comes out",
            version, method, (int)NEWEST);
    }
    size_t number = number_size[version];
    size_t header = SIZES + (version == 1 ? number : 2 * number) + DIGEST_SIZE;
    if (size < header) {
        return cut_off();
    }
    const unsigned char *raw_size = data + header - DIGEST_SIZE - number;
    bool is_wide = number == sizeof(uint64_t);
    uint64_t whole = version == 1 ? size : is_wide ? cbn_get64(data + SIZES) : cbn_get32(data + SIZES);
    if (whole < header || whole > size) {
        return cut_off();
    }
    *out = (struct compressed){
        .bytes = data + header,
        .size = (size_t)whole - header,
        .whole = (size_t)whole,
        .raw_size = is_wide ? cbn_get64(raw_size) : cbn_get32(raw_size),
        .method = (enum unpack_method)method,
    };
    return CUBINET_OK;
}

static cubinet_status read_one(const struct compressed *compressed, offload_fn *found, void *user)
{
    unsigned char *raw = NULL;
    size_t size = (size_t)compressed->raw_size;
    cubinet_status status = unpack("an offload bundle of clang's", compressed->method, compressed->bytes,
                                   compressed->size, 0, compressed->raw_size, &raw);
    if (!status && !starts_with(raw, size, bundle_magic, BUNDLE_MAGIC)) {
        status = cbn_error(CUBINET_ERROR_DAMAGED,
                           "a compressed offload bundle of clang's that does not contain a bundle");
    }
    if (!status) {
        status = read_bundle(raw, size, found, user);
    }
    free(raw);
    return status;
}

/* Several lie one after another, where objects were linked. */
static cubinet_status read_compressed(const unsigned char *data, size_t size, offload_fn *found, void *user)
{
    cubinet_status status = CUBINET_OK;
    while (!status && is_compressed(data, size)) {
        struct compressed compressed = {.bytes = NULL};
        status = read_header(data, size, &compressed);
        if (!status) {
            status = read_one(&compressed, found, user);
            data += compressed.whole;
            size -= compressed.whole;
        }
    }
    return status;
}

cubinet_status offload_read(const void *data, size_t size, offload_fn *found, void *user)
{
    if (is_compressed(data, size)) {
        return read_compressed(data, size, found, user);
    }
    return starts_with(data, size, bundle_magic, BUNDLE_MAGIC) ? read_bundle(data, size, found, user)
                                                               : offload_binary_read(data, size, found, user);
}
