/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_TUPLE_H
#define CHECK_TUPLE_H

#include <tuple>

struct check_sum {
    template <class... Ts> __device__ double operator()(Ts... values) const
    {
        return (0.0 + ... + values);
    }
};

__device__ __noinline__ inline void check_tuple(check_values &out)
{
    std::tuple<int, double, char> values(1, 2.5, 'c');
    std::get<0>(values) = 7;
    CHECK_SHOW(std::get<0>(values), std::get<double>(values), std::get<2>(values),
               std::tuple_size<decltype(values)>::value);
    auto [a, b, c] = values;
    int number = 0;
    double real = 0;
    std::tie(number, real, std::ignore) = values;
    CHECK_SHOW(a, b, c, number, real, values == std::make_tuple(7, 2.5, 'c'),
               values < std::make_tuple(7, 2.5, 'd'), std::make_tuple(2) >= std::make_tuple(3));
    std::tie(number, real) = std::make_pair(4, 1.5);
    auto joined = std::tuple_cat(values, std::make_pair(3, 4), std::tuple<>(), std::make_tuple(5));
    CHECK_SHOW(number, real, std::get<5>(joined), std::tuple_size<decltype(joined)>::value,
               std::apply(check_sum(), joined),
               std::make_from_tuple<std::pair<int, int>>(std::make_tuple(6, 7)).second);
    auto references = std::forward_as_tuple(number, 3);
    std::get<0>(references) = 11;
    std::tuple<int, int> first(1, 2);
    std::tuple<int, int> second = std::make_pair(3, 4);
    std::swap(first, second);
    std::tuple<double, long> converted = first;
    std::tuple deduced{1, 2.0f};
    CHECK_SHOW(number, std::get<0>(first), std::get<1>(second), std::get<1>(converted),
               std::get<0>(deduced) + 1,
               std::is_same<std::tuple_element_t<1, decltype(deduced)>, float>::value);
}

#endif
