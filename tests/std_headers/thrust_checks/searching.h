/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_THRUST_SEARCHING_H
#define CHECK_THRUST_SEARCHING_H

#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>

__device__ __noinline__ inline void check_searching(check_values &out)
{
    const int data[] = {1, 2, 2, 3, 5, 8, 8, 8, 13};
    const int other[] = {1, 2, 2, 4, 5, 8, 8, 8, 13};
    auto even = [](int x) { return x % 2 == 0; };
    auto positive = [](int x) { return x > 0; };
    CHECK_SHOW(thrust::find(thrust::seq, data, data + 9, 5) - data,
               thrust::find(thrust::seq, data, data + 9, 7) - data,
               thrust::find_if(thrust::seq, data, data + 9, even) - data,
               thrust::find_if_not(thrust::seq, data, data + 9, positive) - data);
    for (int x : {0, 2, 4, 8, 13, 20}) {
        auto range = thrust::equal_range(thrust::seq, data, data + 9, x);
        CHECK_SHOW(thrust::lower_bound(thrust::seq, data, data + 9, x) - data,
                   thrust::upper_bound(thrust::seq, data, data + 9, x) - data,
                   thrust::binary_search(thrust::seq, data, data + 9, x), range.first - data,
                   range.second - data, thrust::count(thrust::seq, data, data + 9, x));
    }
    const int wanted[] = {8, 3, 0};
    int places[3];
    thrust::lower_bound(thrust::seq, data, data + 9, wanted, wanted + 3, places);
    CHECK_SHOW(places[0], places[1], places[2]);
    CHECK_SHOW(thrust::count_if(thrust::seq, data, data + 9, even),
               thrust::equal(thrust::seq, data, data + 9, other),
               thrust::equal(thrust::seq, data, data + 3, other),
               thrust::mismatch(thrust::seq, data, data + 9, other).first - data);
    CHECK_SHOW(thrust::all_of(thrust::seq, data, data + 9, positive),
               thrust::all_of(thrust::seq, data, data + 9, even),
               thrust::any_of(thrust::seq, data, data + 9, even),
               thrust::none_of(thrust::seq, data, data + 9, positive));
    const float values[] = {2.5f, -1, 7, 7, 0.5f, -1};
    auto both = thrust::minmax_element(thrust::seq, values, values + 6);
    CHECK_SHOW(thrust::min_element(thrust::seq, values, values + 6) - values,
               thrust::max_element(thrust::seq, values, values + 6) - values, both.first - values,
               both.second - values, thrust::min(3, 2), thrust::max(3.5, 2.0),
               (thrust::min)(values[0], values[1]));
}

#endif
