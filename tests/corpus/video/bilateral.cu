// SPDX-License-Identifier: Apache-2.0
// Smooths within edges: weights by distance and by difference.
#include <cmath>
#include <cuda_runtime.h>

__constant__ float cGaussian[64];

__device__ float euclideanLen(float4 a, float4 b, float d)
{
    float mod = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z);
    return std::exp(-mod / (2.f * d * d));
}

__global__ void d_bilateral_filter(const float4 *in, float4 *od, int w, int h, float e_d, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) {
        return;
    }
    float sum = 0.0f;
    float3 t = {0.f, 0.f, 0.f};
    float4 center = in[y * w + x];
    for (int i = -r; i <= r; i++) {
        for (int j = -r; j <= r; j++) {
            float4 curPix = in[min(max(y + i, 0), h - 1) * w + min(max(x + j, 0), w - 1)];
            float factor = cGaussian[i + r] * cGaussian[j + r] * euclideanLen(curPix, center, e_d);
            t.x += factor * curPix.x;
            t.y += factor * curPix.y;
            t.z += factor * curPix.z;
            sum += factor;
        }
    }
    od[y * w + x] = make_float4(t.x / sum, t.y / sum, t.z / sum, 0);
}
