/* SPDX-License-Identifier: Apache-2.0 */
/* A file in a cache's folder: read as it is, then with its digest made right. */
#include "harness.h"
#include "loader/cache/cache_entry.h"
#include "loader/core/archive/digest.h"

static size_t sum;

static void read_entry(const unsigned char *bytes, size_t size)
{
    struct cbn_cache_entry entry;
    if (cbn_cache_entry_read(bytes, size, &entry) == NULL) {
        for (size_t i = 0; i < entry.key_size; i++) {
            sum += entry.key[i];
        }
        for (size_t i = 0; i < entry.payload_size; i++) {
            sum += entry.payload[i];
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = harness_copy(data, size);
    read_entry(bytes, size);
    if (size >= CBN_CACHE_ENTRY_FORMAT) {
        struct cbn_digest digest = cbn_digest(bytes + CBN_CACHE_ENTRY_FORMAT, size - CBN_CACHE_ENTRY_FORMAT);
        memcpy(bytes + CBN_CACHE_ENTRY_DIGEST, digest.bytes, sizeof(digest.bytes));
        read_entry(bytes, size);
    }
    free(bytes);
    return 0;
}
