// SPDX-License-Identifier: Apache-2.0
// 32 cells in a word, on a torus.
#include <cstdint>

__device__ inline int alive(const std::uint32_t *cells, int words, int rows, int x, int y)
{
    int width = words * 32;
    x = (x + width) % width;
    y = (y + rows) % rows;
    return cells[y * words + x / 32] >> (x % 32) & 1;
}

extern "C" __global__ void life_step(const std::uint32_t *__restrict__ from, std::uint32_t *__restrict__ to, int words, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            neighbours += (dx || dy) && alive(from, words, rows, x + dx, y + dy);
        }
    }
    bool lives = neighbours == 3 || (neighbours == 2 && alive(from, words, rows, x, y));
    std::uint32_t word = __ballot_sync(0xffffffff, lives);
    if (threadIdx.x % 32 == 0) {
        to[y * words + x / 32] = word;
    }
}
