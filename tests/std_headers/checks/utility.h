/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_UTILITY_H
#define CHECK_UTILITY_H

#include <utility>

template <class T, T... values> __device__ inline int check_digits(std::integer_sequence<T, values...>)
{
    int sum = 0;
    ((sum = sum * 10 + static_cast<int>(values)), ...);
    return sum;
}

__device__ __noinline__ inline void check_utility(check_values &out)
{
    std::pair<int, double> a(3, 2.5);
    std::pair<int, double> b = std::make_pair('c', 1.5f);
    CHECK_SHOW(a.first, b.first, b.second, a < b, a == b, a >= b, std::get<1>(a), std::get<int>(b));
    std::swap(a, b);
    auto [x, y] = a;
    CHECK_SHOW(x, y, std::tuple_element_t<0, decltype(a)>(4.7), std::exchange(x, 9), x, std::as_const(y));
    int left[] = {1, 2};
    int right[] = {3, 4};
    std::swap(left, right);
    CHECK_SHOW(left[0], right[1], check_digits(std::make_index_sequence<7>()),
               check_digits(std::integer_sequence<int, 4, 2>()), std::index_sequence_for<int, char>::size(),
               std::cmp_less(-1, 1u), std::cmp_equal(-1, ~0u), std::cmp_greater(3u, -3));
    std::pair<int, std::pair<int, int>> nested(1, {2, 3});
    nested = std::pair<char, std::pair<char, char>>('a', {'b', 'c'});
    std::pair deduced(1, 2.0f);
    CHECK_SHOW(nested.second.second, deduced.second, std::move(nested).first);
}

#endif
