/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_SPAN_H
#define CHECK_SPAN_H

#include <span>

__device__ __noinline__ inline void check_span(check_values &out)
{
    int data[] = {1, 2, 3, 4, 5, 6};
    std::span<int> all(data);
    std::span<const int> constant = all;
    std::span<int, 6> fixed(data);
    CHECK_SHOW(all.size(), constant[2], fixed.size_bytes(), all.subspan(2).size(), all.subspan(1, 3)[2],
               all.first(2).back(), all.last(2).front(), fixed.first<3>().size(), fixed.subspan<4>().front(),
               fixed.subspan<1, 2>()[1], all.empty(), decltype(fixed)::extent,
               decltype(all)::extent == std::dynamic_extent, sizeof(fixed) == sizeof(int *));
    int sum = 0;
    for (int value : constant.last(4)) {
        sum = sum * 10 + value;
    }
    all[0] = 9;
    std::array<int, 2> pair{7, 8};
    std::span of_array(pair);
    CHECK_SHOW(sum, data[0], *all.rbegin(), of_array[1], std::span<const int>(pair).size(),
               std::as_bytes(all).size(), std::span<int>(data + 1, data + 4).size(),
               std::span<int>().data() == nullptr);
}

#endif
