/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_ARRAY_H
#define CHECK_ARRAY_H

#include <array>

__device__ __noinline__ inline void check_array(check_values &out)
{
    std::array<int, 4> a = {{4, 3, 2, 1}};
    std::array<int, 4> b;
    b.fill(7);
    CHECK_SHOW(a.size(), a[1], a.at(2), a.front(), a.back(), *a.rbegin(), b[3], a == b, a<b, a != b, a> b);
    a.swap(b);
    CHECK_SHOW(a[0], std::get<3>(b), std::tuple_size<decltype(a)>::value, a.empty(),
               std::array<int, 0>().empty());
    int sum = 0;
    for (int value : b) {
        sum = sum * 10 + value;
    }
    auto [w, x, y, z] = b;
    auto made = std::to_array({1.5, 2.5});
    std::array deduced{1, 2, 3};
    CHECK_SHOW(sum, w, x, y, z, made[1], deduced.size(), sizeof(a), std::data(deduced)[2],
               std::size(deduced));
}

#endif
