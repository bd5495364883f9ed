/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4): the digest of whatever decides that two inputs are the same, as a cache's keys do.
 * Who can choose one of them can't choose it so that it passes for the other, as with the digest that finds
 * damage (digest.h). With the processor's instructions where it has them. */
#ifndef CBN_SHA256_H
#define CBN_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CBN_SHA256_SIZE = 32, CBN_SHA256_BLOCK = 64 };

struct cbn_sha256 {
    unsigned char bytes[CBN_SHA256_SIZE];
};

struct cbn_sha256 cbn_sha256(const void *data, size_t size);

bool cbn_sha256_equal(const struct cbn_sha256 *a, const struct cbn_sha256 *b);

/* The same piece by piece. */
struct cbn_sha256_state {
    uint32_t words[8];
    uint64_t size;
    unsigned char rest[CBN_SHA256_BLOCK]; /* the start of a block */
};

void cbn_sha256_start(struct cbn_sha256_state *state);
void cbn_sha256_add(struct cbn_sha256_state *state, const void *data, size_t size);
struct cbn_sha256 cbn_sha256_finish(struct cbn_sha256_state *state);

/* Parts of the above. What takes whole blocks into the state's words: with instructions that every processor
 * has, and with those for SHA-256, if this one has them. */
extern const uint32_t cbn_sha256_rounds[64];
void cbn_sha256_blocks(uint32_t words[8], const unsigned char *data, size_t count);
void cbn_sha256_blocks_fast(uint32_t words[8], const unsigned char *data, size_t count);
bool cbn_sha256_is_fast(void);

#endif
