/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_BIT_H
#define CHECK_BIT_H

#include <bit>
#include <cstdint>

template <class T> __device__ __noinline__ inline void check_bit_of(check_values &out)
{
    for (T value : {T(0), T(1), T(0x80), T(0x5a), T(T(1) << (sizeof(T) * 8 - 1)), T(~T(0))}) {
        CHECK_SHOW(std::popcount(value), std::countl_zero(value), std::countl_one(value),
                   std::countr_zero(value), std::countr_one(value), std::bit_width(value),
                   std::has_single_bit(value), std::bit_floor(value));
    }
    CHECK_SHOW(std::bit_ceil(T(0)), std::bit_ceil(T(5)), std::bit_ceil(T(64)), std::rotl(T(0x5a), 3),
               std::rotr(T(0x5a), 3), std::rotl(T(0x5a), -9),
               std::rotr(T(1), static_cast<int>(sizeof(T) * 8)));
}

__device__ __noinline__ inline void check_bit(check_values &out)
{
    check_bit_of<std::uint8_t>(out);
    check_bit_of<std::uint16_t>(out);
    check_bit_of<std::uint32_t>(out);
    check_bit_of<std::uint64_t>(out);
    constexpr int constant = std::popcount(0xf0f0u) + std::countl_zero(1u) + std::countr_zero(8u);
    CHECK_SHOW(constant, std::bit_cast<std::uint32_t>(1.5f),
               std::bit_cast<double>(std::uint64_t(0x4008000000000000)),
               std::endian::native == std::endian::little);
}

#endif
