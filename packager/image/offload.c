/* SPDX-License-Identifier: Apache-2.0 */
#include "image/offload.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <stdint.h>
#include <string.h>

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
static const char compressed_magic[] = "CCOB";
static const char binary_magic[] = "\x10\xff\x10\xad";

enum {
    BUNDLE_MAGIC = sizeof(bundle_magic) - 1,
    MAGIC = 4,
    /* Of an offload binary, in bytes from its start. */
    BINARY_VERSION = 4,
    BINARY_SIZE = 8,
    BINARY_ENTRY = 16,
    BINARY_HEADER = 32,
    /* Of its entry. */
    ENTRY_STRINGS = 8,
    ENTRY_STRING_COUNT = 16,
    ENTRY_IMAGE = 24,
    ENTRY_IMAGE_SIZE = 32,
    ENTRY_SIZE = 40,
    STRING_SIZE = 16,
};

static bool starts_with(const unsigned char *data, size_t size, const char *magic, size_t magic_size)
{
    return size >= magic_size && memcmp(data, magic, magic_size) == 0;
}

bool offload_is(const void *data, size_t size)
{
    return starts_with(data, size, bundle_magic, BUNDLE_MAGIC) ||
           starts_with(data, size, compressed_magic, MAGIC) || starts_with(data, size, binary_magic, MAGIC);
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

/* Whether one of the strings, which say the triple and the architecture, is of NVIDIA's. */
static bool has_triple(const unsigned char *data, size_t size, const unsigned char *entry)
{
    uint64_t strings = cbn_get64(entry + ENTRY_STRINGS);
    uint64_t count = cbn_get64(entry + ENTRY_STRING_COUNT);
    for (uint64_t i = 0; i < count && has(size, strings, STRING_SIZE); i++, strings += STRING_SIZE) {
        uint64_t value = cbn_get64(data + strings + STRING_SIZE / 2);
        if (value < size && is_nvidias(data + value, strnlen((const char *)data + value, size - value))) {
            return true;
        }
    }
    return false;
}

/* One binary; several lie one behind the other, at multiples of 8. */
static cubinet_status read_binary(const unsigned char *data, size_t size, offload_fn *found, void *user)
{
    uint64_t at = cbn_get64(data + BINARY_ENTRY);
    if (cbn_get32(data + BINARY_VERSION) != 1) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "an offload binary of LLVM's of version %u, and 1 is known",
                         cbn_get32(data + BINARY_VERSION));
    }
    if (!has(size, at, ENTRY_SIZE)) {
        return cut_off();
    }
    const unsigned char *entry = data + at;
    uint64_t image = cbn_get64(entry + ENTRY_IMAGE);
    uint64_t image_size = cbn_get64(entry + ENTRY_IMAGE_SIZE);
    if (!has(size, image, image_size)) {
        return cut_off();
    }
    return image_size > 0 && has_triple(data, size, entry) ? found(user, data + image, (size_t)image_size)
                                                           : CUBINET_OK;
}

static cubinet_status read_binaries(const unsigned char *data, size_t size, offload_fn *found, void *user)
{
    enum { ALIGNMENT = 8 };
    cubinet_status status = CUBINET_OK;
    while (!status && starts_with(data, size, binary_magic, MAGIC)) {
        uint64_t binary = size >= BINARY_HEADER ? cbn_get64(data + BINARY_SIZE) : 0;
        if (binary < BINARY_HEADER || binary > size) {
            return cut_off();
        }
        status = read_binary(data, (size_t)binary, found, user);
        size_t step = (size_t)binary + (ALIGNMENT - (size_t)binary % ALIGNMENT) % ALIGNMENT;
        step = step < size ? step : size;
        data += step;
        size -= step;
    }
    return status;
}

cubinet_status offload_read(const void *data, size_t size, offload_fn *found, void *user)
{
    if (starts_with(data, size, compressed_magic, MAGIC)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "an offload bundle of clang's that is compressed: take it apart with "
                         "`clang-offload-bundler --unbundle`, and pack what comes out");
    }
    return starts_with(data, size, bundle_magic, BUNDLE_MAGIC) ? read_bundle(data, size, found, user)
                                                               : read_binaries(data, size, found, user);
}
