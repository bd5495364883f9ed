// SPDX-License-Identifier: Apache-2.0
// Fixed-point numbers, as header libraries have them.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define FP_CALL __host__ __device__
#else
#define FP_CALL
#endif

namespace fp {

template <typename Rep, int Bits> class fixed {
    static_assert(std::is_integral<Rep>::value && std::is_signed<Rep>::value, "a signed integer");
    using wide = typename std::conditional<(sizeof(Rep) < 8), std::int64_t, Rep>::type;

public:
    constexpr fixed() = default;
    FP_CALL constexpr explicit fixed(int value) : rep_(static_cast<Rep>(value) << Bits) {}
    FP_CALL static constexpr fixed from_rep(Rep rep)
    {
        fixed result;
        result.rep_ = rep;
        return result;
    }
    FP_CALL constexpr Rep rep() const { return rep_; }
    FP_CALL friend constexpr fixed operator+(fixed a, fixed b) { return from_rep(a.rep_ + b.rep_); }
    FP_CALL friend constexpr fixed operator-(fixed a, fixed b) { return from_rep(a.rep_ - b.rep_); }
    FP_CALL friend constexpr fixed operator*(fixed a, fixed b)
    {
        return from_rep(static_cast<Rep>((static_cast<wide>(a.rep_) * b.rep_) >> Bits));
    }
    FP_CALL friend constexpr bool operator<(fixed a, fixed b) { return a.rep_ < b.rep_; }

private:
    Rep rep_ = 0;
};

using q16 = fixed<std::int32_t, 16>;

} // namespace fp

namespace std {
template <typename Rep, int Bits> struct numeric_limits<fp::fixed<Rep, Bits>> {
    static constexpr bool is_specialized = true;
    FP_CALL static constexpr fp::fixed<Rep, Bits> max() noexcept
    {
        return fp::fixed<Rep, Bits>::from_rep(numeric_limits<Rep>::max());
    }
};
} // namespace std
