/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/sha256.h"

#include <stdatomic.h>
#include <string.h>

#if defined(CBN_SHA256_FAST) && defined(__x86_64__)
#include <cpuid.h>
#elif defined(CBN_SHA256_FAST)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

static void put_big(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(value >> (24 - 8 * i));
    }
}

#if defined(CBN_SHA256_FAST) && defined(__x86_64__)
static bool has_instructions(void)
{
    unsigned a, b, c, d, extended, unused;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSE4_1 && c & bit_SSSE3 &&
           __get_cpuid_count(7, 0, &a, &extended, &unused, &d) && extended & bit_SHA;
}
#elif defined(CBN_SHA256_FAST)
static bool has_instructions(void)
{
    return getauxval(AT_HWCAP) & HWCAP_SHA2;
}
#else
static bool has_instructions(void)
{
    return false;
}

void cbn_sha256_blocks_fast(uint32_t words[8], const unsigned char *data, size_t count)
{
    cbn_sha256_blocks(words, data, count);
}
#endif

/* Asking the processor takes longer than a block does. */
bool cbn_sha256_is_fast(void)
{
    static atomic_int known; /* 1: no, 2: yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        answer = has_instructions() ? 2 : 1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

static void take_blocks(uint32_t words[8], const unsigned char *data, size_t count)
{
    if (cbn_sha256_is_fast()) {
        cbn_sha256_blocks_fast(words, data, count);
    } else {
        cbn_sha256_blocks(words, data, count);
    }
}

void cbn_sha256_start(struct cbn_sha256_state *state)
{
    *state = (struct cbn_sha256_state){.words = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                                 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void cbn_sha256_add(struct cbn_sha256_state *state, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    size_t kept = state->size % CBN_SHA256_BLOCK;
    state->size += size;
    if (kept > 0) {
        size_t taken = size < CBN_SHA256_BLOCK - kept ? size : CBN_SHA256_BLOCK - kept;
        memcpy(state->rest + kept, bytes, taken);
        if (kept + taken < CBN_SHA256_BLOCK) {
            return;
        }
        take_blocks(state->words, state->rest, 1);
        bytes += taken;
        size -= taken;
    }
    take_blocks(state->words, bytes, size / CBN_SHA256_BLOCK);
    if (size % CBN_SHA256_BLOCK > 0) {
        memcpy(state->rest, bytes + size / CBN_SHA256_BLOCK * CBN_SHA256_BLOCK, size % CBN_SHA256_BLOCK);
    }
}

struct cbn_sha256 cbn_sha256_finish(struct cbn_sha256_state *state)
{
    static const unsigned char filling[CBN_SHA256_BLOCK] = {0x80};
    struct cbn_sha256 digest;
    unsigned char length[8];
    uint64_t bits = state->size * 8;
    put_big(length, (uint32_t)(bits >> 32));
    put_big(length + 4, (uint32_t)bits);
    /* A bit, then zeros up to where the last eight bytes of a block are free. */
    cbn_sha256_add(state, filling,
                   1 + (2 * CBN_SHA256_BLOCK - 9 - state->size % CBN_SHA256_BLOCK) % CBN_SHA256_BLOCK);
    cbn_sha256_add(state, length, sizeof(length));
    for (int i = 0; i < 8; i++) {
        put_big(digest.bytes + 4 * i, state->words[i]);
    }
    return digest;
}

struct cbn_sha256 cbn_sha256(const void *data, size_t size)
{
    struct cbn_sha256_state state;
    cbn_sha256_start(&state);
    cbn_sha256_add(&state, data, size);
    return cbn_sha256_finish(&state);
}

bool cbn_sha256_equal(const struct cbn_sha256 *a, const struct cbn_sha256 *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}
