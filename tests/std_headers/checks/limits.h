/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_LIMITS_H
#define CHECK_LIMITS_H

#include <limits>

template <class T> __device__ __noinline__ inline void check_limits_of(check_values &out)
{
    using limits = std::numeric_limits<T>;
    CHECK_SHOW(limits::is_specialized, limits::min(), limits::max(), limits::lowest(), limits::digits,
               limits::digits10, limits::max_digits10, limits::is_signed, limits::is_integer,
               limits::is_exact, limits::is_modulo, limits::radix, limits::epsilon(), limits::denorm_min(),
               limits::has_infinity, limits::min_exponent, limits::max_exponent10, limits::is_iec559,
               limits::is_bounded, limits::round_error());
}

__device__ __noinline__ inline void check_limits(check_values &out)
{
    check_limits_of<bool>(out);
    check_limits_of<signed char>(out);
    check_limits_of<unsigned short>(out);
    check_limits_of<int>(out);
    check_limits_of<const unsigned>(out);
    check_limits_of<long>(out);
    check_limits_of<unsigned long long>(out);
    check_limits_of<float>(out);
    check_limits_of<double>(out);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    CHECK_SHOW(infinity > 3e38f, nothing != nothing, std::numeric_limits<float>::signaling_NaN() == 0,
               std::numeric_limits<int *>::is_specialized);
}

#endif
