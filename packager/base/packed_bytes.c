/* SPDX-License-Identifier: Apache-2.0 */
#include "base/packed_bytes.h"

#include <stdlib.h>
#include <zstd.h>

enum { LEVEL = 1 }; /* the fastest: a build waits for it */

void packed_bytes_add(struct buffer *out, const void *bytes, size_t size)
{
    size_t most = ZSTD_compressBound(size);
    void *packed = malloc(most);
    size_t packed_size = packed ? ZSTD_compress(packed, most, bytes, size, LEVEL) : 0;
    if (!packed || ZSTD_isError(packed_size)) {
        out->failed = true;
    } else {
        buffer_append(out, packed, packed_size);
    }
    free(packed);
}

bool packed_bytes_read(const void *packed, size_t packed_size, size_t most, char **out_bytes,
                       size_t *out_size)
{
    unsigned long long size = ZSTD_getFrameContentSize(packed, packed_size);
    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > most) {
        return false;
    }
    char *bytes = malloc((size_t)size + 1);
    if (!bytes || ZSTD_decompress(bytes, (size_t)size, packed, packed_size) != size) {
        free(bytes);
        return false;
    }
    bytes[size] = '\0';
    *out_bytes = bytes;
    *out_size = (size_t)size;
    return true;
}
