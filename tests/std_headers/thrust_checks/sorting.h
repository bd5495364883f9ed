/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_THRUST_SORTING_H
#define CHECK_THRUST_SORTING_H

#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reverse.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

__device__ __noinline__ inline void check_sorting(check_values &out)
{
    const int first[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    int a[12];
    int b[12];
    int result[24];
    auto show = [&](const int *from, const int *last) {
        CHECK_SHOW(last - from);
        for (; from != last; ++from) {
            CHECK_SHOW(*from);
        }
    };
    auto reset = [&] {
        for (int i = 0; i < 12; i++) {
            a[i] = first[i];
            b[i] = i;
        }
    };
    auto odd = [](int x) { return x % 2 != 0; };
    reset();
    thrust::sort(thrust::seq, a, a + 12);
    show(a, a + 12);
    thrust::sort(thrust::device, a, a + 12, thrust::greater<int>());
    show(a, a + 12);
    reset();
    thrust::stable_sort(thrust::seq, a, a + 12, [](int x, int y) { return x / 3 < y / 3; });
    show(a, a + 12);
    reset();
    thrust::sort_by_key(thrust::seq, a, a + 12, b);
    show(a, a + 12);
    CHECK_SHOW(b[0] + b[1], b[2], b[11]);
    reset();
    thrust::stable_sort_by_key(thrust::seq, a, a + 12, b, thrust::greater<int>());
    show(b, b + 12);
    CHECK_SHOW(thrust::is_sorted(thrust::seq, a, a + 12), thrust::is_sorted(thrust::seq, b, b + 3),
               thrust::is_sorted_until(thrust::seq, first, first + 12) - first);
    reset();
    thrust::sort(thrust::seq, a, a + 12);
    show(result, thrust::merge(thrust::seq, a, a + 12, b, b + 12, result));
    show(result, thrust::set_union(thrust::seq, a, a + 12, b, b + 12, result));
    show(result, thrust::set_intersection(thrust::seq, a, a + 12, b, b + 12, result));
    show(result, thrust::set_difference(thrust::seq, a, a + 12, b, b + 12, result));
    show(result, thrust::set_symmetric_difference(thrust::seq, a, a + 12, b, b + 12, result));
    show(result, thrust::unique_copy(thrust::seq, a, a + 12, result));
    show(a, thrust::unique(thrust::seq, a, a + 12));
    reset();
    show(a, thrust::unique_by_key(thrust::seq, a, a + 12, b).first);
    reset();
    show(a, thrust::stable_partition(thrust::seq, a, a + 12, odd));
    reset();
    CHECK_SHOW(thrust::partition(thrust::seq, a, a + 12, odd) - a,
               thrust::is_partitioned(thrust::seq, a, a + 12, odd));
    auto parts = thrust::partition_copy(thrust::seq, first, first + 12, a, b, odd);
    show(a, parts.first);
    show(b, parts.second);
    thrust::reverse(thrust::seq, b, b + 4);
    show(b, b + 4);
    thrust::reverse_copy(thrust::seq, first, first + 12, a);
    show(a, a + 12);
}

#endif
