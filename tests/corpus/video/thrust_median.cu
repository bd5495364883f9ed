// SPDX-License-Identifier: Apache-2.0
// A median filter: each thread sorts the window around its pixel.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cstdint>

template <int RADIUS>
__global__ void median_filter(const uint8_t *in, uint8_t *out, int width, int height)
{
    constexpr int side = 2 * RADIUS + 1;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    if (x < RADIUS || y < RADIUS || x + RADIUS >= width || y + RADIUS >= height) {
        out[y * width + x] = in[y * width + x];
        return;
    }
    uint8_t window[side * side];
    uint8_t *end = window;
    for (int row = y - RADIUS; row <= y + RADIUS; row++) {
        const uint8_t *first = in + row * width + x - RADIUS;
        end = thrust::copy(thrust::seq, first, first + side, end);
    }
    thrust::sort(thrust::seq, window, end);
    out[y * width + x] = window[side * side / 2];
}
