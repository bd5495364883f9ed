/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_NUMERIC_H
#define CHECK_NUMERIC_H

#include <functional>
#include <numeric>

__device__ __noinline__ inline void check_numeric(check_values &out)
{
    int data[] = {3, 1, 4, 1, 5, 9, 2, 6};
    int result[8];
    auto show = [&](int *last) {
        for (int *at = result; at != last; ++at) {
            CHECK_SHOW(*at);
        }
    };
    CHECK_SHOW(std::accumulate(data, data + 8, 100), std::accumulate(data, data + 8, 1, std::multiplies<>()),
               std::inner_product(data, data + 4, data + 4, 0), std::reduce(data, data + 8),
               std::transform_reduce(data, data + 8, 0, std::plus<>(), [](int x) { return x * x; }),
               std::transform_reduce(data, data + 4, data + 4, 1));
    show(std::partial_sum(data, data + 8, result));
    show(std::inclusive_scan(data, data + 8, result, std::plus<>(), 10));
    show(std::exclusive_scan(data, data + 8, result, 7));
    show(std::adjacent_difference(data, data + 8, result));
    std::iota(result, result + 8, -3);
    show(result + 8);
    CHECK_SHOW(std::gcd(12, -18), std::gcd(0, 5), std::lcm(4, 6), std::lcm(-3, 7), std::lcm(0, 3),
               std::midpoint(2147483647, 2147483645), std::midpoint(-3, 4), std::midpoint(4, -3),
               std::midpoint(1.0, 4.0), std::midpoint(data, data + 7) - data);
}

#endif
