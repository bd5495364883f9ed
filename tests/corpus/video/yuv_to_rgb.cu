// SPDX-License-Identifier: Apache-2.0
// NV12 to RGBA, with the matrix of the colour space in constant memory.
#include <cstdint>
#include <cuda_runtime.h>

__constant__ float matYuv2Rgb[3][3];

template <class T> __device__ static T Clamp(T x, T lower, T upper)
{
    return x < lower ? lower : (x > upper ? upper : x);
}

template <class Rgb, class YuvUnit> __device__ inline Rgb YuvToRgbForPixel(YuvUnit y, YuvUnit u, YuvUnit v)
{
    const int low = 1 << (sizeof(YuvUnit) * 8 - 4), mid = 1 << (sizeof(YuvUnit) * 8 - 1);
    float fy = (int)y - low, fu = (int)u - mid, fv = (int)v - mid;
    const float maxf = (1 << sizeof(YuvUnit) * 8) - 1.0f;
    Rgb rgb{};
    rgb.x = (uint8_t)Clamp(matYuv2Rgb[0][0] * fy + matYuv2Rgb[0][1] * fu + matYuv2Rgb[0][2] * fv, 0.0f, maxf);
    rgb.y = (uint8_t)Clamp(matYuv2Rgb[1][0] * fy + matYuv2Rgb[1][1] * fu + matYuv2Rgb[1][2] * fv, 0.0f, maxf);
    rgb.z = (uint8_t)Clamp(matYuv2Rgb[2][0] * fy + matYuv2Rgb[2][1] * fu + matYuv2Rgb[2][2] * fv, 0.0f, maxf);
    rgb.w = 255;
    return rgb;
}

extern "C" __global__ void Nv12ToRgba(const uint8_t *pYuv, int nYuvPitch, uchar4 *pRgb, int nWidth, int nHeight)
{
    int x = (threadIdx.x + blockIdx.x * blockDim.x) * 2;
    int y = (threadIdx.y + blockIdx.y * blockDim.y) * 2;
    if (x + 1 >= nWidth || y + 1 >= nHeight) {
        return;
    }
    const uint8_t *pSrc = pYuv + x + y * nYuvPitch;
    uchar2 l0 = *(const uchar2 *)pSrc;
    uchar2 l1 = *(const uchar2 *)(pSrc + nYuvPitch);
    uchar2 ch = *(const uchar2 *)(pYuv + nHeight * nYuvPitch + (y / 2) * nYuvPitch + x);
    uchar4 *pDst = pRgb + y * nWidth + x;
    pDst[0] = YuvToRgbForPixel<uchar4>(l0.x, ch.x, ch.y);
    pDst[1] = YuvToRgbForPixel<uchar4>(l0.y, ch.x, ch.y);
    pDst[nWidth] = YuvToRgbForPixel<uchar4>(l1.x, ch.x, ch.y);
    pDst[nWidth + 1] = YuvToRgbForPixel<uchar4>(l1.y, ch.x, ch.y);
}
