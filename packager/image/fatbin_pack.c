/* SPDX-License-Identifier: Apache-2.0 */
#include "image/fatbin_pack.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"
#include "loader/link/read_cubin.h"

#include <limits.h>
#ifdef CUBINET_HAS_LZ4
#include <lz4hc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { ALIGNMENT = 8, LEVEL = 19, CUDA_13 = 13000, ISA_OF_CUDA_13 = 9 /* and no minor */ };

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

static bool is_of_cuda_13(const struct cbn_fatbin_entry *entry, const struct raw *raw)
{
    struct cbn_cubin cubin;
    if (entry->target.kind == CUBINET_IMAGE_PTX) {
        return cbn_get16(entry->bytes + CBN_FATBIN_ENTRY_MAJOR) >= ISA_OF_CUDA_13;
    }
    if (cbn_cubin_read(raw->bytes, raw->size, &cubin)) {
        return false;
    }
    bool is_new = cubin.toolkit >= CUDA_13;
    cbn_cubin_free(&cubin);
    return is_new;
}

/* What the image has when it is compressed; 0 if that is not smaller. */
static size_t compress(const struct raw *raw, uint64_t method, unsigned char *out)
{
    if (method == CBN_FATBIN_ZSTD) {
        size_t size = ZSTD_compress(out, raw->size, raw->bytes, raw->size, LEVEL);
        return ZSTD_isError(size) ? 0 : size;
    }
#ifdef CUBINET_HAS_LZ4
    return (size_t)LZ4_compress_HC((const char *)raw->bytes, (char *)out, (int)raw->size, (int)raw->size,
                                   LZ4HC_CLEVEL_MAX);
#else
    return 0;
#endif
}

static bool can_be_packed(const struct cbn_fatbin_entry *entry, const struct raw *raw)
{
    uint64_t flags = cbn_get64(entry->bytes + CBN_FATBIN_ENTRY_FLAGS);
    bool is_code = entry->target.kind == CUBINET_IMAGE_PTX || entry->target.kind == CUBINET_IMAGE_CUBIN;
    return is_code && !(flags & (CBN_FATBIN_LZ4 | CBN_FATBIN_ZSTD)) && raw->size > 0 && raw->size <= INT_MAX;
}

cubinet_status fatbin_pack(const struct cbn_fatbin_entry *entry, unsigned char **out_bytes, size_t *out_size)
{
    struct raw raw = raw_of(entry);
    *out_bytes = NULL;
    if (!can_be_packed(entry, &raw)) {
        return CUBINET_OK;
    }
    uint64_t method = is_of_cuda_13(entry, &raw) ? CBN_FATBIN_ZSTD : CBN_FATBIN_LZ4;
    unsigned char *bytes = calloc(1, raw.header_size + raw.size + ALIGNMENT);
    if (!bytes) {
        return cbn_error_memory();
    }
    size_t packed = compress(&raw, method, bytes + raw.header_size);
    size_t padded = (packed + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (packed == 0 || raw.header_size + padded >= entry->size) {
        free(bytes);
        return CUBINET_OK;
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
