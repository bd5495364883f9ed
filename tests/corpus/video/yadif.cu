// SPDX-License-Identifier: Apache-2.0
// Deinterlacing: a line that is missing comes from the lines above and below, along the edge that fits best, within what
// the frames before and after allow.
#include <cuda_runtime.h>

template <typename T> __inline__ __device__ T spatial_predictor(T a, T b, T c, T d, T e, T f, T g, T h, T i, T j, T k, T l, T m, T n)
{
    int spatial_pred = (d + k) / 2;
    int spatial_score = abs(c - j) + abs(d - k) + abs(e - l);
    int score = abs(b - k) + abs(c - l) + abs(d - m);
    if (score < spatial_score) {
        spatial_pred = (c + l) / 2;
        spatial_score = score;
        score = abs(a - l) + abs(b - m) + abs(c - n);
        if (score < spatial_score) {
            spatial_pred = (b + m) / 2;
            spatial_score = score;
        }
    }
    score = abs(d - i) + abs(e - j) + abs(f - k);
    if (score < spatial_score) {
        spatial_pred = (e + j) / 2;
        spatial_score = score;
        score = abs(e - h) + abs(f - i) + abs(g - j);
        if (score < spatial_score) {
            spatial_pred = (f + i) / 2;
        }
    }
    return spatial_pred;
}

__inline__ __device__ int max3(int a, int b, int c)
{
    int x = max(a, b);
    return max(x, c);
}

__inline__ __device__ int min3(int a, int b, int c)
{
    int x = min(a, b);
    return min(x, c);
}

template <typename T>
__device__ void yadif_pixel(T *dst, const T *prev, const T *cur, const T *next, int width, int height, int xo, int yo, int parity)
{
    if (xo >= width || yo >= height) {
        return;
    }
    auto at = [=](const T *frame, int x, int y) {
        return (int)frame[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
    };
    if (yo % 2 == parity) {
        dst[yo * width + xo] = cur[yo * width + xo];
        return;
    }
    int up[7], down[7];
    for (int i = 0; i < 7; i++) {
        up[i] = at(cur, xo - 3 + i, yo - 1);
        down[i] = at(cur, xo - 3 + i, yo + 1);
    }
    int pred = spatial_predictor<int>(up[0], up[1], up[2], up[3], up[4], up[5], up[6], down[0], down[1], down[2], down[3],
                                      down[4], down[5], down[6]);
    int before = at(prev, xo, yo);
    int after = at(next, xo, yo);
    int p2 = (before + after) / 2;
    int diff = max3(abs(before - after) / 2, (abs(at(prev, xo, yo - 1) - up[3]) + abs(at(prev, xo, yo + 1) - down[3])) / 2,
                    (abs(at(next, xo, yo - 1) - up[3]) + abs(at(next, xo, yo + 1) - down[3])) / 2);
    pred = min(max(pred, p2 - diff), p2 + diff);
    dst[yo * width + xo] = pred;
}

extern "C" {
__global__ void yadif_uchar(unsigned char *dst, const unsigned char *prev, const unsigned char *cur, const unsigned char *next, int width, int height, int parity)
{
    yadif_pixel(dst, prev, cur, next, width, height, blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, parity);
}

__global__ void yadif_ushort(unsigned short *dst, const unsigned short *prev, const unsigned short *cur, const unsigned short *next, int width, int height, int parity)
{
    yadif_pixel(dst, prev, cur, next, width, height, blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, parity);
}

__global__ void yadif_spare(int *least, int a, int b, int c)
{
    *least = min3(a, b, c);
}
}
