// SPDX-License-Identifier: Apache-2.0
// A block transforms 32 numbers, 8 of them a thread. TRANSFORM is nvmath's function, which is linked.
struct complex {
    float re, im;
};
extern "C" __device__ void TRANSFORM(complex *values, complex *shared);
extern "C" __global__ void fft32(complex *data)
{
    extern __shared__ complex shared[];
    complex values[8];
    complex *own = data + blockIdx.x * 32 + threadIdx.x;
    for (int i = 0; i < 8; i++) values[i] = own[i * 4];
    TRANSFORM(values, shared);
    for (int i = 0; i < 8; i++) own[i * 4] = values[i];
}
