// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// How often z = z^2 + c until it is far away; crunch at most.
template <class T> __device__ inline int CalcMandelbrot(const T xPos, const T yPos, const int crunch)
{
    T x = 0, y = 0, xx = 0, yy = 0;
    int i = crunch;
    while (--i && (xx + yy < T(4.0))) {
        y = x * y * T(2.0) + yPos;
        x = xx - yy + xPos;
        yy = y * y;
        xx = x * x;
    }
    return i;
}

template <class T>
__global__ void Mandelbrot0(uchar4 *dst, const int imageW, const int imageH, const int crunch, const T xOff,
                            const T yOff, const T scale, const uchar4 colors)
{
    const int ix = blockDim.x * blockIdx.x + threadIdx.x;
    const int iy = blockDim.y * blockIdx.y + threadIdx.y;
    if ((ix < imageW) && (iy < imageH)) {
        int m = CalcMandelbrot<T>((T)ix * scale + xOff, (T)iy * scale + yOff, crunch);
        m = m > 0 ? crunch - m : 0;
        uchar4 color = make_uchar4(0, 0, 0, 255);
        if (m) {
            color.x = m * colors.x;
            color.y = m * colors.y;
            color.z = m * colors.z;
        }
        dst[imageW * iy + ix] = color;
    }
}
