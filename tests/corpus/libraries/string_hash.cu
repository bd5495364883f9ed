// SPDX-License-Identifier: Apache-2.0
// Words counted by their hash; the words that matter are hashed at compile time.
#include <cctype>
#include <cstdint>
#include <cstring>

constexpr __host__ __device__ std::uint32_t fnv1a(const char *text, std::size_t size)
{
    std::uint32_t hash = 2166136261u;
    for (std::size_t i = 0; i < size; ++i) {
        hash = (hash ^ static_cast<unsigned char>(text[i])) * 16777619u;
    }
    return hash;
}

template <std::size_t N> constexpr __host__ __device__ std::uint32_t hash_of(const char (&text)[N])
{
    return fnv1a(text, N - 1);
}

struct Word {
    char text[16];
};

__global__ void count_keywords(const Word *words, int count, unsigned *counts, std::uint32_t *hashes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    char lower[sizeof(Word)];
    memcpy(lower, words[i].text, sizeof(lower));
    std::size_t size = 0;
    for (; size < sizeof(lower) && lower[size]; ++size) {
        lower[size] = lower[size] >= 'A' && lower[size] <= 'Z' ? lower[size] + 32 : lower[size];
    }
    const std::uint32_t hash = fnv1a(lower, size);
    hashes[i] = hash;
    switch (hash) {
    case hash_of("kernel"):
        atomicAdd(&counts[0], 1u);
        break;
    case hash_of("device"):
        atomicAdd(&counts[1], 1u);
        break;
    case hash_of("global"):
        atomicAdd(&counts[2], 1u);
        break;
    default:
        atomicAdd(&counts[3], 1u);
    }
}
