// SPDX-License-Identifier: Apache-2.0
// A discrete Fourier transform by its definition, with Thrust's complex numbers.
#include <thrust/complex.h>

#include <cmath>

template <typename T> __global__ void dft(const T *signal, thrust::complex<T> *spectrum, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) {
        return;
    }
    const thrust::complex<T> turn = thrust::exp(thrust::complex<T>(0, T(-2 * M_PI) * k / n));
    thrust::complex<T> factor = 1;
    thrust::complex<T> sum = 0;
    for (int i = 0; i < n; i++) {
        sum += signal[i] * factor;
        factor *= turn;
    }
    spectrum[k] = sum / thrust::sqrt(thrust::complex<T>(n));
}
