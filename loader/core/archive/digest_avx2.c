/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with -mavx2, and so the only file whose code may have these instructions. */
#include "loader/core/archive/digest_avx2.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct cbn_hash cbn_hash_avx2(const void *data, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits(data, size);
    return (struct cbn_hash){.low = hash.low64, .high = hash.high64};
}
