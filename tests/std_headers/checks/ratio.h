/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_RATIO_H
#define CHECK_RATIO_H

#include <ratio>

__device__ __noinline__ inline void check_ratio(check_values &out)
{
    using third = std::ratio<2, -6>;
    using sum = std::ratio_add<std::milli, std::micro>;
    using product = std::ratio_multiply<std::ratio<10, 21>, std::ratio<14, 15>>;
    using quotient = std::ratio_divide<std::kilo, std::mega>;
    using difference = std::ratio_subtract<std::ratio<1, 2>, std::ratio<3, 4>>;
    CHECK_SHOW(third::num, third::den, sum::num, sum::den, product::num, product::den, quotient::num,
               quotient::den, difference::num, difference::den, std::ratio_less_v<std::nano, std::pico>,
               std::ratio_equal_v<std::ratio<2, 4>, std::ratio<1, 2>>,
               std::ratio_greater_v<std::giga, std::mega>, std::exa::num, std::atto::den);
}

#endif
