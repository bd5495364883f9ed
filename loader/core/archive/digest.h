/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of archives: XXH3-128 in canonical form. It detects damage, not malice. */
#ifndef CBN_DIGEST_H
#define CBN_DIGEST_H

#include "loader/core/archive/format.h"

#include <stddef.h>

struct cbn_digest {
    unsigned char bytes[CBN_DIGEST_SIZE];
};

struct cbn_digest cbn_digest(const void *data, size_t size);

/* The digest of two runs of bytes, one after the other. */
struct cbn_digest cbn_digest_two(const void *first, size_t first_size, const void *second,
                                 size_t second_size);

/* 1 if the digest of the bytes is the one at `expected`. */
int cbn_digest_matches(const void *data, size_t size, const unsigned char expected[CBN_DIGEST_SIZE]);

#endif
