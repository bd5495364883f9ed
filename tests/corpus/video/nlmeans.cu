// SPDX-License-Identifier: Apache-2.0
// Non-local means over the luma plane.
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime.h>

template <int PATCH, int RESEARCH>
__global__ void nlmeans(const std::uint8_t *__restrict__ src, std::uint8_t *__restrict__ dst, int width, int height, float strength)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const auto clamp = [](int v, int top) { return v < 0 ? 0 : v > top ? top : v; };
    const auto at = [&](int px, int py) -> int { return src[clamp(py, height - 1) * width + clamp(px, width - 1)]; };
    float total = 0;
    float weights = 0;
    for (int dy = -RESEARCH; dy <= RESEARCH; dy++) {
        for (int dx = -RESEARCH; dx <= RESEARCH; dx++) {
            int difference = 0;
            for (int py = -PATCH; py <= PATCH; py++) {
                for (int px = -PATCH; px <= PATCH; px++) {
                    const int d = at(x + px, y + py) - at(x + dx + px, y + dy + py);
                    difference += d * d;
                }
            }
            const float weight = __expf(-difference / (strength * strength * (2 * PATCH + 1) * (2 * PATCH + 1)));
            total += weight * at(x + dx, y + dy);
            weights += weight;
        }
    }
    dst[y * width + x] = static_cast<std::uint8_t>(total / weights + 0.5f);
}
