// SPDX-License-Identifier: Apache-2.0
// From half floats to 8 bits: exposure, a filmic curve, sRGB.
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float filmic(float x)
{
    return __saturatef((x * (2.51f * x + 0.03f)) / (x * (2.43f * x + 0.59f) + 0.14f));
}

__device__ float to_srgb(float linear)
{
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
}

__global__ void tonemap(const __half2 *pixels, std::uint32_t *out, int count, float exposure)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const float2 rg = __half22float2(pixels[2 * i]);
    const float2 ba = __half22float2(pixels[2 * i + 1]);
    const float rgb[3] = {rg.x, rg.y, ba.x};
    std::uint32_t packed = static_cast<std::uint32_t>(__saturatef(ba.y) * 255.0f + 0.5f) << 24;
#pragma unroll
    for (int channel = 0; channel < 3; channel++) {
        const float value = to_srgb(filmic(rgb[channel] * exposure));
        packed |= static_cast<std::uint32_t>(value * 255.0f + 0.5f) << (8 * channel);
    }
    out[i] = packed;
}
