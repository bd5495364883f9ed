/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_MATH_H
#define CHECK_MATH_H

#include <cmath>
#include <numbers>

template <class T> __device__ __noinline__ inline void check_math_of(check_values &out)
{
    for (T x : {T(0.25), T(-0.75), T(0.5)}) {
        CHECK_SHOW(std::sin(x), std::cos(x), std::tan(x), std::asin(x), std::acos(x), std::atan(x),
                   std::sinh(x), std::cosh(x), std::tanh(x), std::asinh(x), std::atanh(x), std::exp(x),
                   std::exp2(x), std::expm1(x), std::log1p(x), std::cbrt(x), std::erf(x), std::erfc(x),
                   std::fabs(x), std::ceil(x), std::floor(x), std::trunc(x), std::round(x), std::rint(x),
                   std::nearbyint(x), std::abs(x), std::tgamma(x + 2), std::lgamma(x + 2));
    }
    const T y = T(2.5);
    int exponent = 0;
    int quotient = 0;
    T whole = 0;
    CHECK_SHOW(std::log(y), std::log2(y), std::log10(y), std::sqrt(y), std::acosh(y), std::pow(y, T(1.5)),
               std::atan2(T(-1), y), std::hypot(y, T(3)), std::hypot(y, T(3), T(4)), std::fmod(T(7), y),
               std::remainder(T(7), y), std::fmax(y, T(3)), std::fmin(y, T(3)), std::fdim(T(4), y),
               std::copysign(y, T(-1)), std::fma(y, y, T(1)), std::ldexp(y, 3), std::scalbn(y, -2),
               std::frexp(y, &exponent), exponent, std::modf(T(-3.75), &whole), whole, std::logb(y),
               std::ilogb(y), std::lrint(y), std::lround(y), std::llround(-y),
               std::remquo(T(7), y, &quotient), quotient, std::nextafter(T(1), T(2)) > 1,
               std::lerp(T(1), T(3), T(0.25)));
    const T infinity = static_cast<T>(INFINITY);
    const T nothing = static_cast<T>(NAN);
    CHECK_SHOW(std::isnan(nothing), std::isinf(infinity), std::isfinite(y), std::isnormal(T(0)),
               std::signbit(-y), std::fpclassify(infinity) == FP_INFINITE, std::fpclassify(nothing) == FP_NAN,
               std::fpclassify(y) == FP_NORMAL, std::fpclassify(T(0)) == FP_ZERO, std::isgreater(y, T(1)),
               std::isunordered(y, nothing), std::isless(y, nothing));
    CHECK_SHOW(sizeof(std::sqrt(y)), sizeof(std::pow(y, y)), sizeof(std::pow(y, 2)), sizeof(std::fmax(y, 1)),
               sizeof(std::atan2(y, 2.0)), sizeof(std::abs(y)), sizeof(std::isnan(y)), sizeof(std::isinf(y)),
               sizeof(std::isfinite(y)), sizeof(std::signbit(y)));
}

__device__ __noinline__ inline void check_math(check_values &out)
{
    check_math_of<float>(out);
    check_math_of<double>(out);
    CHECK_SHOW(std::sqrt(2), std::pow(2, 10), std::pow(2.0f, 0.5), std::sin(1), std::fmod(7, 2.5),
               std::isnan(3), std::floor(7), std::hypot(3, 4), std::fmax(1, 2.5f), std::abs(-7),
               std::abs(-7LL), std::cbrt(27), std::lround(7), std::fpclassify(1));
    CHECK_SHOW(M_PI, M_SQRT2, HUGE_VAL > 1e308, std::numbers::pi, std::numbers::e_v<float>,
               std::numbers::phi);
}

#endif
