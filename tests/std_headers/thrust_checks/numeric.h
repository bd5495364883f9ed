/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_THRUST_NUMERIC_H
#define CHECK_THRUST_NUMERIC_H

#include <thrust/adjacent_difference.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

__device__ __noinline__ inline void check_numeric(check_values &out)
{
    const int data[] = {3, 1, 4, 1, 5, 9, 2, 6};
    const int keys[] = {0, 0, 1, 1, 1, 2, 3, 3};
    int result[8];
    int found[8];
    auto show = [&](const int *last) {
        CHECK_SHOW(last - result);
        for (const int *at = result; at != last; ++at) {
            CHECK_SHOW(*at);
        }
    };
    auto square = [](int x) { return x * x; };
    CHECK_SHOW(thrust::reduce(thrust::seq, data, data + 8), thrust::reduce(thrust::seq, data, data + 8, 100),
               thrust::reduce(thrust::seq, data, data + 8, 0, thrust::maximum<int>()),
               thrust::reduce(thrust::seq, data, data + 8, 1, thrust::multiplies<int>()),
               thrust::inner_product(thrust::seq, data, data + 8, keys, 5),
               thrust::inner_product(thrust::seq, data, data + 8, keys, 0, thrust::plus<int>(),
                                     thrust::minus<int>()),
               thrust::transform_reduce(thrust::seq, data, data + 8, square, 0, thrust::plus<int>()));
    show(thrust::inclusive_scan(thrust::seq, data, data + 8, result));
    show(thrust::inclusive_scan(thrust::seq, data, data + 8, result, thrust::maximum<int>()));
    show(thrust::exclusive_scan(thrust::seq, data, data + 8, result));
    show(thrust::exclusive_scan(thrust::seq, data, data + 8, result, 4, thrust::multiplies<int>()));
    show(thrust::inclusive_scan_by_key(thrust::seq, keys, keys + 8, data, result));
    show(thrust::exclusive_scan_by_key(thrust::seq, keys, keys + 8, data, result, 10));
    show(thrust::transform_inclusive_scan(thrust::seq, data, data + 8, result, square, thrust::plus<int>()));
    show(thrust::transform_exclusive_scan(thrust::seq, data, data + 8, result, square, 1,
                                          thrust::plus<int>()));
    show(thrust::adjacent_difference(thrust::seq, data, data + 8, result));
    show(thrust::transform(thrust::seq, data, data + 8, result, thrust::negate<int>()));
    show(thrust::transform(thrust::seq, data, data + 8, keys, result, thrust::plus<int>()));
    show(thrust::transform_if(thrust::seq, data, data + 8, result, square, [](int x) { return x > 3; }));
    auto ends = thrust::reduce_by_key(thrust::seq, keys, keys + 8, data, found, result);
    CHECK_SHOW(ends.first - found, found[0], found[3]);
    show(ends.second);
    thrust::for_each(thrust::seq, result, result + 4, [](int &x) { x += 7; });
    show(thrust::for_each_n(thrust::device, result, 2, [](int &x) { x *= 2; }));
}

#endif
