// SPDX-License-Identifier: Apache-2.0
// Resizing through a texture, with the weights of a cubic or a Lanczos filter.
#include <cuda_runtime.h>

typedef float4 (*coeffs_function_t)(float, float);

__device__ static inline float4 lanczos_coeffs(float x, float param)
{
    const float pi = 3.141592654f;
    float4 res = make_float4(pi * (x + 1), pi * x, pi * (x - 1), pi * (x - 2));
    (void)param;
    res.x = res.x == 0.0f ? 1.0f : __sinf(res.x) * __sinf(res.x / 2.0f) / (res.x * res.x / 2.0f);
    res.y = res.y == 0.0f ? 1.0f : __sinf(res.y) * __sinf(res.y / 2.0f) / (res.y * res.y / 2.0f);
    res.z = res.z == 0.0f ? 1.0f : __sinf(res.z) * __sinf(res.z / 2.0f) / (res.z * res.z / 2.0f);
    res.w = res.w == 0.0f ? 1.0f : __sinf(res.w) * __sinf(res.w / 2.0f) / (res.w * res.w / 2.0f);
    const float sum = res.x + res.y + res.z + res.w;
    return make_float4(res.x / sum, res.y / sum, res.z / sum, res.w / sum);
}

__device__ static inline float4 bicubic_coeffs(float x, float A)
{
    float4 res;
    res.x = ((A * (x + 1) - 5 * A) * (x + 1) + 8 * A) * (x + 1) - 4 * A;
    res.y = ((A + 2) * x - (A + 3)) * x * x + 1;
    res.z = ((A + 2) * (1 - x) - (A + 3)) * (1 - x) * (1 - x) + 1;
    res.w = 1.0f - res.x - res.y - res.z;
    return res;
}

template <typename T>
__device__ static inline float bicubic_axis(cudaTextureObject_t tex, float4 coeffs, float px, float py)
{
    return coeffs.x * tex2D<T>(tex, px - 1, py) + coeffs.y * tex2D<T>(tex, px, py) + coeffs.z * tex2D<T>(tex, px + 1, py) +
           coeffs.w * tex2D<T>(tex, px + 2, py);
}

template <typename T, coeffs_function_t Coeffs>
__global__ void subsample(cudaTextureObject_t src, T *dst, int dst_width, int dst_height, int src_width, int src_height, float param)
{
    int xo = blockIdx.x * blockDim.x + threadIdx.x;
    int yo = blockIdx.y * blockDim.y + threadIdx.y;
    if (yo >= dst_height || xo >= dst_width) {
        return;
    }
    float xi = (xo + 0.5f) * src_width / dst_width - 0.5f;
    float yi = (yo + 0.5f) * src_height / dst_height - 0.5f;
    float px = floorf(xi);
    float py = floorf(yi);
    float4 across = Coeffs(xi - px, param);
    float4 down = Coeffs(yi - py, param);
    px += 0.5f;
    py += 0.5f;
    float sum = down.x * bicubic_axis<T>(src, across, px, py - 1) + down.y * bicubic_axis<T>(src, across, px, py) +
                down.z * bicubic_axis<T>(src, across, px, py + 1) + down.w * bicubic_axis<T>(src, across, px, py + 2);
    dst[yo * dst_width + xo] = (T)fminf(fmaxf(sum + 0.5f, 0.0f), 255.0f);
}

template __global__ void subsample<unsigned char, lanczos_coeffs>(cudaTextureObject_t, unsigned char *, int, int, int, int, float);
template __global__ void subsample<unsigned char, bicubic_coeffs>(cudaTextureObject_t, unsigned char *, int, int, int, int, float);
