/* SPDX-License-Identifier: Apache-2.0 */
#include "image/unpack.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* No file of device code has more: a limit to what is allocated for one that claims more. */
#define LARGEST ((uint64_t)1 << 31)

enum unpack_method unpack_method_of(const unsigned char *data, size_t size)
{
    return size >= sizeof(uint32_t) && cbn_get32(data) == ZSTD_MAGICNUMBER ? UNPACK_ZSTD : UNPACK_ZLIB;
}

static bool fills(enum unpack_method method, const unsigned char *data, size_t size, unsigned char *out,
                  size_t raw_size)
{
    uLongf zlib_size = (uLongf)raw_size;
    if (method == UNPACK_ZSTD) {
        return ZSTD_decompress(out, raw_size, data, size) == raw_size;
    }
    return uncompress(out, &zlib_size, data, (uLong)size) == Z_OK && zlib_size == raw_size;
}

cubinet_status unpack(const char *what, enum unpack_method method, const unsigned char *data, size_t size,
                      size_t before, uint64_t raw_size, unsigned char **out_data)
{
    if (raw_size == 0 || raw_size > LARGEST) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "%s claims to have %llu bytes when it is decompressed", what,
                         (unsigned long long)raw_size);
    }
    unsigned char *raw = malloc(before + (size_t)raw_size);
    if (!raw) {
        return cbn_error_memory();
    }
    if (!fills(method, data, size, raw + before, (size_t)raw_size)) {
        free(raw);
        return cbn_error(CUBINET_ERROR_DAMAGED, "%s does not decompress", what);
    }
    *out_data = raw;
    return CUBINET_OK;
}
