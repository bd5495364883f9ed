/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_COMPLEX_H
#define CHECK_COMPLEX_H

#include <complex>

template <class T> __device__ __noinline__ inline void check_complex_of(check_values &out)
{
    using complex = std::complex<T>;
    auto show = [&](complex z) { CHECK_SHOW(z.real(), z.imag()); };
    const complex points[] = {
        {T(0.5), T(-1.25)}, {T(-2), T(0.75)}, {T(3), T(4)}, {T(-0.25), T(-0.125)}, {T(1.5), T(0)}};
    for (const complex &z : points) {
        CHECK_SHOW(std::abs(z), std::arg(z), std::norm(z));
        show(std::conj(z));
        show(std::sqrt(z));
        show(std::exp(z));
        show(std::log(z));
        show(std::log10(z));
        show(std::sin(z));
        show(std::cos(z));
        show(std::tan(z));
        show(std::sinh(z));
        show(std::cosh(z));
        show(std::tanh(z));
        show(std::asin(z));
        show(std::atan(z));
        show(std::asinh(z));
        show(std::acosh(z));
        show(std::atanh(z));
        show(std::acos(z));
        show(std::pow(z, complex(T(0.5), T(2))));
        show(std::pow(z, T(3)));
        show(z * points[1] + points[2] / z - T(2) * z);
    }
}

__device__ __noinline__ inline void check_complex(check_values &out)
{
    using namespace std::complex_literals;
    check_complex_of<float>(out);
    check_complex_of<double>(out);
    std::complex<double> z = std::complex<float>(1, 2);
    z += 1.0;
    z *= 2i;
    z /= std::complex<double>(0, 2);
    CHECK_SHOW(z.real(), z.imag(), z == std::complex<double>(2, 2), z != 2.0, std::polar(2.0, 0.5).imag(),
               std::proj(z).real());
    constexpr std::complex<float> constant = std::complex<float>(1, 2) + 3.0f;
    CHECK_SHOW(constant.real(), constant.imag(), std::real(z), std::imag(z), sizeof(z));
}

#endif
