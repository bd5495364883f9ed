/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CBN_DIGEST_AVX2_H
#define CBN_DIGEST_AVX2_H

#include <stddef.h>
#include <stdint.h>

struct cbn_hash {
    uint64_t low;
    uint64_t high;
};

/* XXH3-128 for processors that have AVX2: half the time that it takes with what every x86-64 processor has.
 * Only in builds for these (CBN_DIGEST_AVX2). */
struct cbn_hash cbn_hash_avx2(const void *data, size_t size);

#endif
