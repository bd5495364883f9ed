// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cuda_runtime.h>

typedef unsigned char Pixel;

__device__ unsigned char ComputeSobel(Pixel ul, Pixel um, Pixel ur, Pixel ml, Pixel mr, Pixel ll, Pixel lm, Pixel lr,
                                      float fScale)
{
    short Horz = ur + 2 * mr + lr - ul - 2 * ml - ll;
    short Vert = ul + 2 * um + ur - ll - 2 * lm - lr;
    short Sum = (short)(fScale * (abs((int)Horz) + abs((int)Vert)));
    if (Sum < 0) {
        return 0;
    } else if (Sum > 0xff) {
        return 0xff;
    }
    return (unsigned char)Sum;
}

__global__ void SobelCopy(const Pixel *in, Pixel *out, int w, int h, float scale)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) {
        return;
    }
    auto at = [=](int dx, int dy) {
        int sx = ::min(::max(x + dx, 0), w - 1);
        int sy = ::min(::max(y + dy, 0), h - 1);
        return in[sy * w + sx];
    };
    out[y * w + x] = ComputeSobel(at(-1, -1), at(0, -1), at(1, -1), at(-1, 0), at(1, 0), at(-1, 1), at(0, 1),
                                  at(1, 1), scale);
}
