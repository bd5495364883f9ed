// SPDX-License-Identifier: Apache-2.0
// Front-to-back compositing of a 3-D texture with a transfer function.
#include <cuda_runtime.h>
#include <texture_indirect_functions.h>

#include "vec.h"

typedef struct {
    float4 m[3];
} float3x4;

__constant__ float3x4 c_invViewMatrix;

__device__ float3 mul(const float3x4 &M, const float3 &v)
{
    const float4 p = make_float4(v.x, v.y, v.z, 1.0f);
    auto row = [&](int i) { return M.m[i].x * p.x + M.m[i].y * p.y + M.m[i].z * p.z + M.m[i].w * p.w; };
    return make_float3(row(0), row(1), row(2));
}

__global__ void d_render(unsigned int *d_output, unsigned int imageW, unsigned int imageH, float density, float brightness,
                         cudaTextureObject_t tex, cudaTextureObject_t transferTex)
{
    const int maxSteps = 500;
    const float tstep = 0.01f;
    const float opacityThreshold = 0.95f;
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if ((x >= imageW) || (y >= imageH)) {
        return;
    }
    float u = (x / (float)imageW) * 2.0f - 1.0f;
    float v = (y / (float)imageH) * 2.0f - 1.0f;
    float3 origin = mul(c_invViewMatrix, make_float3(0.0f, 0.0f, 0.0f));
    float3 direction = normalize(mul(c_invViewMatrix, normalize(make_float3(u, v, -2.0f))) - origin);
    float4 sum = make_float4(0, 0, 0, 0);
    float3 pos = origin;
    for (int i = 0; i < maxSteps && sum.w < opacityThreshold; i++, pos += direction * tstep) {
        float sample = tex3D<float>(tex, pos.x * 0.5f + 0.5f, pos.y * 0.5f + 0.5f, pos.z * 0.5f + 0.5f);
        float4 col = tex1D<float4>(transferTex, sample);
        col.w *= density;
        const float remains = (1.0f - sum.w) * col.w;
        sum = make_float4(sum.x + remains * col.x, sum.y + remains * col.y, sum.z + remains * col.z, sum.w + remains);
    }
    auto byte = [=](float f) { return (unsigned int)(__saturatef(f * brightness) * 255.0f); };
    d_output[y * imageW + x] = byte(sum.w) << 24 | byte(sum.z) << 16 | byte(sum.y) << 8 | byte(sum.x);
}
