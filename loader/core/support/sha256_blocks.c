/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256's rounds with instructions that every processor has. */
#include "loader/core/support/sha256.h"

#include <string.h>

const uint32_t cbn_sha256_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t get_big(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t turn(uint32_t value, int bits)
{
    return value >> bits | value << (32 - bits);
}

/* The words of a block, and 48 that are made of them. */
static void expand(const unsigned char *block, uint32_t w[64])
{
    for (int i = 0; i < 16; i++) {
        w[i] = get_big(block + 4 * i);
    }
    for (int i = 16; i < 64; i++) {
        uint32_t low = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t high = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + low + w[i - 7] + high;
    }
}

/* The eight words move on by one with each round: here their numbers do. */
static void take_block(uint32_t words[8], const unsigned char *block)
{
    uint32_t w[64];
    uint32_t s[8];
    expand(block, w);
    memcpy(s, words, sizeof(s));
#pragma GCC unroll 64
    for (unsigned i = 0; i < 64; i++) {
        uint32_t a = s[(0 - i) % 8], b = s[(1 - i) % 8], c = s[(2 - i) % 8];
        uint32_t e = s[(4 - i) % 8], f = s[(5 - i) % 8], g = s[(6 - i) % 8];
        uint32_t sum = s[(7 - i) % 8] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) +
                       cbn_sha256_rounds[i] + w[i];
        s[(3 - i) % 8] += sum;
        s[(7 - i) % 8] = sum + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    }
    for (int i = 0; i < 8; i++) {
        words[i] += s[i];
    }
}

void cbn_sha256_blocks(uint32_t words[8], const unsigned char *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        take_block(words, data + i * CBN_SHA256_BLOCK);
    }
}
