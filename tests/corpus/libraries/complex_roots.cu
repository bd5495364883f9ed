// SPDX-License-Identifier: Apache-2.0
// Newton's method in the complex plane.
#include <cuda/std/complex>

extern "C" __global__ void newton(float *out, int width, int height, int steps)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    cuda::std::complex<float> z(4.0f * (x + 0.5f) / width - 2.0f, 4.0f * (y + 0.5f) / height - 2.0f);
    for (int i = 0; i < steps; i++) {
        const cuda::std::complex<float> square = z * z;
        z -= (square * z - 1.0f) / (3.0f * square);
    }
    out[2 * (y * width + x)] = z.real();
    out[2 * (y * width + x) + 1] = z.imag();
}
