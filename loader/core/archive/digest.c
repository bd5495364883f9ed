/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/digest.h"

#include "loader/core/archive/digest_avx2.h"

#include <string.h>

/* Compiled in from libxxhash's header: a deployed program then needs no libxxhash.so. */
#define XXH_INLINE_ALL
#include <xxhash.h>

static struct cbn_digest canonical(XXH128_hash_t hash)
{
    XXH128_canonical_t form;
    XXH128_canonicalFromHash(&form, hash);
    struct cbn_digest digest;
    memcpy(digest.bytes, form.digest, sizeof(digest.bytes));
    return digest;
}

struct cbn_digest cbn_digest(const void *data, size_t size)
{
#ifdef CBN_DIGEST_AVX2
    if (size > XXH3_MIDSIZE_MAX && __builtin_cpu_supports("avx2")) {
        struct cbn_hash hash = cbn_hash_avx2(data, size);
        return canonical((XXH128_hash_t){.low64 = hash.low, .high64 = hash.high});
    }
#endif
    return canonical(XXH3_128bits(data, size));
}

struct cbn_digest cbn_digest_two(const void *first, size_t first_size, const void *second, size_t second_size)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, first, first_size);
    XXH3_128bits_update(&state, second, second_size);
    return canonical(XXH3_128bits_digest(&state));
}

int cbn_digest_matches(const void *data, size_t size, const unsigned char expected[CBN_DIGEST_SIZE])
{
    struct cbn_digest digest = cbn_digest(data, size);
    return memcmp(digest.bytes, expected, sizeof(digest.bytes)) == 0;
}
