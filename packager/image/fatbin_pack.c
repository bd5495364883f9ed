/* SPDX-License-Identifier: Apache-2.0 */
#include "image/fatbin_pack.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"
#include "loader/link/read_cubin.h"

#ifdef CUBINET_HAS_LZ4
#include <lz4hc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { ALIGNMENT = 8, LEVEL = 19, CUDA_13 = 13000, ISA_OF_CUDA_13 = 9 /* and no minor */ };
enum { MOST_PACKED = 0x7e000000 /* LZ4_MAX_INPUT_SIZE */ };

/* An entry's image, which is not compressed. */
struct raw {
    const unsigned char *header;
    size_t header_size;
    const unsigned char *bytes;
    size_t size;
};

static struct raw raw_of(const struct cbn_fatbin_entry *entry)
{
    size_t header_size = cbn_get32(entry->bytes + CBN_FATBIN_ENTRY_HEADER_SIZE);
    struct raw raw = {entry->bytes, header_size, entry->bytes + header_size, entry->size - header_size};
    if (entry->target.kind == CUBINET_IMAGE_PTX) { /* its text and one NUL, without the padding */
        while (raw.size > 1 && raw.bytes[raw.size - 1] == '\0' && raw.bytes[raw.size - 2] == '\0') {
            raw.size--;
        }
    }
    return raw;
}

static cubinet_status choose_method(const struct cbn_fatbin_entry *entry, const struct raw *raw,
                                    uint64_t *out_method)
{
    struct cbn_cubin cubin = {.toolkit = 0};
    bool is_new = cbn_get16(entry->bytes + CBN_FATBIN_ENTRY_MAJOR) >= ISA_OF_CUDA_13;
    if (entry->target.kind == CUBINET_IMAGE_CUBIN) {
        if (cbn_cubin_read(raw->bytes, raw->size, &cubin) == CUBINET_ERROR_OUT_OF_MEMORY) {
            return CUBINET_ERROR_OUT_OF_MEMORY;
        }
        is_new = cubin.toolkit >= CUDA_13;
        cbn_cubin_free(&cubin);
    }
    *out_method = is_new ? CBN_FATBIN_ZSTD : CBN_FATBIN_LZ4;
    return CUBINET_OK;
}

static cubinet_status compress_zstd(const struct raw *raw, unsigned char *out, size_t *out_size)
{
    size_t size = ZSTD_compress(out, raw->size, raw->bytes, raw->size, LEVEL);
    *out_size = ZSTD_isError(size) ? 0 : size;
    return ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation ? cbn_error_memory() : CUBINET_OK;
}

/* Where the result has room for whatever comes out, LZ4 fails only for want of memory. */
static cubinet_status compress_lz4(const struct raw *raw, unsigned char *out, size_t *out_size)
{
#ifdef CUBINET_HAS_LZ4
    *out_size = (size_t)LZ4_compress_HC((const char *)raw->bytes, (char *)out, (int)raw->size,
                                        LZ4_compressBound((int)raw->size), LZ4HC_CLEVEL_MAX);
    return *out_size > 0 ? CUBINET_OK : cbn_error_memory();
#else
    (void)raw;
    (void)out;
    *out_size = 0;
    return CUBINET_OK;
#endif
}

/* Bytes that either method may write. */
static size_t room_for(const struct raw *raw)
{
#ifdef CUBINET_HAS_LZ4
    return (size_t)LZ4_compressBound((int)raw->size);
#else
    return raw->size;
#endif
}

static bool can_be_packed(const struct cbn_fatbin_entry *entry, const struct raw *raw)
{
    uint64_t flags = cbn_get64(entry->bytes + CBN_FATBIN_ENTRY_FLAGS);
    bool is_code = entry->target.kind == CUBINET_IMAGE_PTX || entry->target.kind == CUBINET_IMAGE_CUBIN;
    return is_code && !(flags & (CBN_FATBIN_LZ4 | CBN_FATBIN_ZSTD)) && raw->size > 0 &&
           raw->size <= MOST_PACKED;
}

cubinet_status fatbin_pack(const struct cbn_fatbin_entry *entry, unsigned char **out_bytes, size_t *out_size)
{
    struct raw raw = raw_of(entry);
    *out_bytes = NULL;
    if (!can_be_packed(entry, &raw)) {
        return CUBINET_OK;
    }
    uint64_t method = 0;
    cubinet_status status = choose_method(entry, &raw, &method);
    if (status) {
        return status;
    }
    unsigned char *bytes = calloc(1, raw.header_size + room_for(&raw) + ALIGNMENT);
    if (!bytes) {
        return cbn_error_memory();
    }
    size_t packed = 0; /* it is not smaller */
    status =
        (method == CBN_FATBIN_ZSTD ? compress_zstd : compress_lz4)(&raw, bytes + raw.header_size, &packed);
    size_t padded = (packed + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (status || packed == 0 || raw.header_size + padded >= entry->size) {
        free(bytes);
        return status;
    }
    memset(bytes + raw.header_size + packed, 0, padded - packed);
    memcpy(bytes, raw.header, raw.header_size);
    cbn_put64(bytes + CBN_FATBIN_ENTRY_SIZE, padded);
    cbn_put32(bytes + CBN_FATBIN_ENTRY_PACKED_SIZE, (uint32_t)packed);
    cbn_put64(bytes + CBN_FATBIN_ENTRY_RAW_SIZE, raw.size);
    cbn_put64(bytes + CBN_FATBIN_ENTRY_FLAGS, cbn_get64(raw.header + CBN_FATBIN_ENTRY_FLAGS) | method);
    unsigned char *shorter = realloc(bytes, raw.header_size + padded);
    *out_bytes = shorter ? shorter : bytes;
    *out_size = raw.header_size + padded;
    return CUBINET_OK;
}

uint64_t fatbin_raw_size(const struct cbn_fatbin_entry *entry)
{
    uint64_t flags = cbn_get64(entry->bytes + CBN_FATBIN_ENTRY_FLAGS);
    return flags & (CBN_FATBIN_LZ4 | CBN_FATBIN_ZSTD) ? cbn_get64(entry->bytes + CBN_FATBIN_ENTRY_RAW_SIZE)
                                                      : raw_of(entry).size;
}
