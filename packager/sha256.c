/* SPDX-License-Identifier: Apache-2.0 */
#include "sha256.h"

#include "error.h"

#include <errno.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct sha256 sha256_of(const void *data, size_t size)
{
    struct sha256 digest;
    crypto_hash_sha256(digest.bytes, data, size);
    return digest;
}

cubinet_status sha256_file(const char *path, struct sha256 *out_digest)
{
    unsigned char piece[1 << 16];
    crypto_hash_sha256_state state;
    FILE *file = fopen(path, "rb");
    if (!file) {
        return cbn_error(CUBINET_ERROR_IO, "'%s' cannot be opened: %s", path, strerror(errno));
    }
    crypto_hash_sha256_init(&state);
    for (size_t size; (size = fread(piece, 1, sizeof(piece), file)) > 0;) {
        crypto_hash_sha256_update(&state, piece, size);
    }
    bool failed = ferror(file);
    fclose(file);
    if (failed) {
        return cbn_error(CUBINET_ERROR_IO, "'%s' cannot be read", path);
    }
    crypto_hash_sha256_final(&state, out_digest->bytes);
    return CUBINET_OK;
}

int sha256_compare(const struct sha256 *a, const struct sha256 *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}
