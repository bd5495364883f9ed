// SPDX-License-Identifier: Apache-2.0
// SHA-256 of many short messages of 32 bytes each, twice over, as in chains of blocks. Messages and digests
// are words of big-endian numbers.
__constant__ const unsigned constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned rotate(unsigned word, int by)
{
    return __funnelshift_r(word, word, by);
}

// The digest of eight words, in their place.
__device__ void hash(unsigned (&words)[8])
{
    const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned block[16] = {};
    unsigned state[8];
    for (int i = 0; i < 8; i++) {
        block[i] = words[i];
        state[i] = start[i];
    }
    block[8] = 0x80000000; // the end of the message
    block[15] = 256;       // its length in bits
#pragma unroll
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            const unsigned near = block[(i + 14) % 16];
            const unsigned far = block[(i + 1) % 16];
            block[i % 16] += block[(i + 9) % 16] + (rotate(near, 17) ^ rotate(near, 19) ^ near >> 10) +
                             (rotate(far, 7) ^ rotate(far, 18) ^ far >> 3);
        }
        const unsigned e = state[4];
        const unsigned a = state[0];
        const unsigned first = state[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                               ((e & state[5]) ^ (~e & state[6])) + constants[i] + block[i % 16];
        const unsigned second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                                ((a & state[1]) ^ (a & state[2]) ^ (state[1] & state[2]));
        for (int j = 7; j > 0; j--) {
            state[j] = state[j - 1];
        }
        state[4] += first;
        state[0] = first + second;
    }
    for (int i = 0; i < 8; i++) {
        words[i] = start[i] + state[i];
    }
}

extern "C" __global__ void sha256_twice(const unsigned *messages, unsigned *digests, int count)
{
    const int message = blockIdx.x * blockDim.x + threadIdx.x;
    if (message >= count) {
        return;
    }
    unsigned words[8];
    for (int i = 0; i < 8; i++) {
        words[i] = messages[8LL * message + i];
    }
    hash(words);
    hash(words);
    for (int i = 0; i < 8; i++) {
        digests[8LL * message + i] = words[i];
    }
}
