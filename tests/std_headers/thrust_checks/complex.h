/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_THRUST_COMPLEX_H
#define CHECK_THRUST_COMPLEX_H

#include <thrust/complex.h>

__device__ __noinline__ inline void check_complex(check_values &out)
{
    auto show = [&](auto z) { CHECK_SHOW(z.real(), z.imag()); };
    thrust::complex<float> a(1.5f, -2);
    thrust::complex<float> b(0.25f, 3);
    thrust::complex<double> c(-0.75, 0.5);
    show(a + b);
    show(a - b * 2.0f);
    show(a / b);
    show(1.0f / b);
    show(-a);
    CHECK_SHOW(thrust::abs(a), thrust::arg(b), thrust::norm(c), a == b, a != b);
    show(thrust::conj(c));
    show(thrust::polar(2.0, 0.5));
    show(thrust::proj(a));
    show(thrust::exp(a));
    show(thrust::log(b));
    show(thrust::log10(c));
    show(thrust::sqrt(a));
    show(thrust::sqrt(c));
    show(thrust::pow(a, b));
    show(thrust::pow(c, 2.5));
    show(thrust::sin(a));
    show(thrust::cos(a));
    show(thrust::tan(c));
    show(thrust::sinh(c));
    show(thrust::cosh(c));
    show(thrust::tanh(b));
    show(thrust::asin(c));
    show(thrust::acos(c));
    show(thrust::atan(c));
    show(thrust::asinh(c));
    show(thrust::acosh(c));
    show(thrust::atanh(c));
    a += b;
    a *= b;
    a /= 2.0f;
    a -= thrust::complex<float>(0, 1);
    show(a);
    show(thrust::complex<double>(a));
}

#endif
