// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces, by object.
#include <cuda_runtime.h>

// Interpolated between texels, at normalized coordinates.
extern "C" __global__ void sample(cudaTextureObject_t texture, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        out[y * width + x] = tex2D<float>(texture, (x + 1.0f) / width, (y + 0.5f) / height);
    }
}

extern "C" __global__ void gather(cudaTextureObject_t texture, const int *where, float *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float4 texel = tex1Dfetch<float4>(texture, where[i]);
        out[i] = texel.x + 10 * texel.y + 100 * texel.z + 1000 * texel.w;
    }
}

// Turns an image upside down.
extern "C" __global__ void flip(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float value = surf2Dread<float>(in, x * sizeof(float), y);
        surf2Dwrite(value + 1, out, x * sizeof(float), height - 1 - y);
    }
}
