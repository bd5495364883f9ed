// SPDX-License-Identifier: Apache-2.0
// Gradient noise in three dimensions, and octaves of it.
#include <math.h>

__device__ const unsigned char permutation[64] = {
    15, 37, 2,  60, 21, 48, 9,  33, 54, 7,  29, 41, 12, 63, 18, 50, 3,  26, 45, 57, 10, 31, 0,  39, 52, 16, 61, 24, 35, 6, 43, 19,
    56, 28, 11, 47, 1,  34, 59, 14, 40, 23, 5,  51, 30, 62, 17, 44, 8,  38, 53, 20, 32, 58, 4,  27, 49, 13, 42, 25, 55, 36, 22, 46};

__device__ __forceinline__ float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
__device__ __forceinline__ float lerp(float t, float a, float b) { return a + t * (b - a); }
__device__ __forceinline__ int hash(int x) { return permutation[x & 63]; }

__device__ float grad(int hash, float x, float y, float z)
{
    int h = hash & 15;
    float u = h < 8 ? x : y;
    float v = h < 4 ? y : h == 12 || h == 14 ? x : z;
    return ((h & 1) == 0 ? u : -u) + ((h & 2) == 0 ? v : -v);
}

__device__ float noise(float x, float y, float z)
{
    int X = (int)floorf(x), Y = (int)floorf(y), Z = (int)floorf(z);
    x -= X;
    y -= Y;
    z -= Z;
    float u = fade(x), v = fade(y), w = fade(z);
    int A = hash(X) + Y, AA = hash(A) + Z, AB = hash(A + 1) + Z;
    int B = hash(X + 1) + Y, BA = hash(B) + Z, BB = hash(B + 1) + Z;
    return lerp(w,
                lerp(v, lerp(u, grad(hash(AA), x, y, z), grad(hash(BA), x - 1, y, z)),
                     lerp(u, grad(hash(AB), x, y - 1, z), grad(hash(BB), x - 1, y - 1, z))),
                lerp(v, lerp(u, grad(hash(AA + 1), x, y, z - 1), grad(hash(BA + 1), x - 1, y, z - 1)),
                     lerp(u, grad(hash(AB + 1), x, y - 1, z - 1), grad(hash(BB + 1), x - 1, y - 1, z - 1))));
}

extern "C" __global__ void turbulence(float *out, int width, int height, float frequency, int octaves)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float sum = 0;
    float scale = 1;
    for (int i = 0; i < octaves; i++, scale *= 2) {
        sum += fabsf(noise(x * frequency * scale, y * frequency * scale, 0.5f)) / scale;
    }
    out[y * width + x] = sum;
}
