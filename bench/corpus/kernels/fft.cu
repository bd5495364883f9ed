// SPDX-License-Identifier: Apache-2.0
// Complex Fourier transforms of 2^log_points points, a block for each: radix 2, after Stockham, which needs
// no reordering.
#include <cuda/std/cmath>
#include <cuda/std/complex>

// Complex numbers apart, since an array of them in shared memory would have to be constructed.
template <typename T, int points> struct Line {
    T real[points];
    T imaginary[points];

    __device__ cuda::std::complex<T> get(int i) const
    {
        return {real[i], imaginary[i]};
    }

    __device__ void set(int i, cuda::std::complex<T> value)
    {
        real[i] = value.real();
        imaginary[i] = value.imag();
    }
};

template <typename T, int log_points>
__global__ void __launch_bounds__((1 << log_points) / 2)
    fft(const cuda::std::complex<T> *in, cuda::std::complex<T> *out)
{
    constexpr int points = 1 << log_points;
    constexpr int half = points / 2;
    __shared__ Line<T, points> lines[2];

    const int thread = threadIdx.x;
    in += static_cast<long long>(blockIdx.x) * points;
    out += static_cast<long long>(blockIdx.x) * points;
    lines[0].set(thread, in[thread]);
    lines[0].set(thread + half, in[thread + half]);
    for (int step = 0; step < log_points; step++) {
        __syncthreads();
        const Line<T, points> &from = lines[step % 2];
        Line<T, points> &to = lines[1 - step % 2];
        const int span = 1 << step; // length of the transforms that are done
        const int k = thread % span;
        const T angle = -T(3.14159265358979323846) * k / span;
        const cuda::std::complex<T> twiddle(cuda::std::cos(angle), cuda::std::sin(angle));
        const cuda::std::complex<T> even = from.get(thread);
        const cuda::std::complex<T> odd = from.get(thread + half) * twiddle;
        const int place = (thread - k) * 2 + k;
        to.set(place, even + odd);
        to.set(place + span, even - odd);
    }
    __syncthreads();
    out[thread] = lines[log_points % 2].get(thread);
    out[thread + half] = lines[log_points % 2].get(thread + half);
}
