/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256's rounds with the processor's instructions for them. Compiled with the options that allow these,
 * and so the only file whose code may have them. */
#include "loader/core/support/sha256.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* The instructions have the words as CDGH and ABEF, highest first. */
static void load(const uint32_t words[8], __m128i *out_cdgh, __m128i *out_abef)
{
    __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(words + 4)), 0x1b);
    *out_abef = _mm_alignr_epi8(abcd, efgh, 8);
    *out_cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);
}

static void store(uint32_t words[8], __m128i cdgh, __m128i abef)
{
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)words, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(words + 4), _mm_alignr_epi8(dchg, feba, 8));
}

void cbn_sha256_blocks_fast(uint32_t words[8], const unsigned char *data, size_t count)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i cdgh, abef;
    load(words, &cdgh, &abef);
    for (; count > 0; count--, data += CBN_SHA256_BLOCK) {
        const __m128i cdgh_before = cdgh;
        const __m128i abef_before = abef;
        __m128i w[4];
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            if (i < 4) {
                w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(data + 16 * i)), swap);
            } else {
                __m128i early = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);
                __m128i middle = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
                w[i % 4] = _mm_sha256msg2_epu32(_mm_add_epi32(early, middle), w[(i + 3) % 4]);
            }
            __m128i sum =
                _mm_add_epi32(w[i % 4], _mm_loadu_si128((const __m128i *)(cbn_sha256_rounds + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
        abef = _mm_add_epi32(abef, abef_before);
    }
    store(words, cdgh, abef);
}

#elif defined(__aarch64__)
#include <arm_neon.h>

void cbn_sha256_blocks_fast(uint32_t words[8], const unsigned char *data, size_t count)
{
    uint32x4_t abcd = vld1q_u32(words);
    uint32x4_t efgh = vld1q_u32(words + 4);
    for (; count > 0; count--, data += CBN_SHA256_BLOCK) {
        const uint32x4_t abcd_before = abcd;
        const uint32x4_t efgh_before = efgh;
        uint32x4_t w[4];
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            if (i < 4) {
                w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(data + 16 * i)));
            } else {
                w[i % 4] = vsha256su1q_u32(vsha256su0q_u32(w[i % 4], w[(i + 1) % 4]), w[(i + 2) % 4],
                                           w[(i + 3) % 4]);
            }
            uint32x4_t sum = vaddq_u32(w[i % 4], vld1q_u32(cbn_sha256_rounds + 4 * i));
            uint32x4_t before = abcd;
            abcd = vsha256hq_u32(abcd, efgh, sum);
            efgh = vsha256h2q_u32(efgh, before, sum);
        }
        abcd = vaddq_u32(abcd, abcd_before);
        efgh = vaddq_u32(efgh, efgh_before);
    }
    vst1q_u32(words, abcd);
    vst1q_u32(words + 4, efgh);
}
#endif
