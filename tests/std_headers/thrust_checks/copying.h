/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_THRUST_COPYING_H
#define CHECK_THRUST_COPYING_H

#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>

__device__ __noinline__ inline void check_copying(check_values &out)
{
    const int data[] = {3, 1, 4, 1, 5, 9, 2, 6};
    const int map[] = {7, 0, 6, 1, 5, 2, 4, 3};
    int result[8];
    auto show = [&](const int *last) {
        CHECK_SHOW(last - result);
        for (const int *at = result; at != last; ++at) {
            CHECK_SHOW(*at);
        }
    };
    auto odd = [](int x) { return x % 2 != 0; };
    show(thrust::copy(thrust::seq, data, data + 8, result));
    show(thrust::copy_n(thrust::seq, data + 2, 3, result));
    show(thrust::copy_if(thrust::seq, data, data + 8, result, odd));
    show(thrust::copy_if(thrust::seq, data, data + 8, map, result, odd));
    show(thrust::gather(thrust::seq, map, map + 8, data, result));
    thrust::scatter(thrust::seq, data, data + 8, map, result);
    show(result + 8);
    show(thrust::remove(thrust::seq, result, result + 8, 1));
    thrust::sequence(thrust::seq, result, result + 8, 10, 3);
    show(result + 8);
    show(thrust::remove_if(thrust::seq, result, result + 8, odd));
    show(thrust::remove_copy_if(thrust::seq, data, data + 8, result, odd));
    thrust::tabulate(thrust::seq, result, result + 8, [](int i) { return i * i; });
    thrust::replace(thrust::seq, result, result + 8, 4, 40);
    thrust::replace_if(thrust::seq, result, result + 8, odd, -1);
    show(result + 8);
    thrust::fill(thrust::seq, result, result + 3, 5);
    int next = 0;
    thrust::generate(thrust::seq, result + 3, result + 6, [&next] { return ++next; });
    thrust::uninitialized_fill(thrust::seq, result + 6, result + 8, 8);
    show(result + 8);
    show(thrust::uninitialized_copy(thrust::seq, data, data + 8, result));
    int other[] = {-1, -2, -3};
    show(thrust::swap_ranges(thrust::seq, other, other + 3, result));
    CHECK_SHOW(other[0], other[2]);
    thrust::swap(result[0], other[0]);
    thrust::device_ptr<int> pointer = thrust::device_pointer_cast(result);
    CHECK_SHOW(result[0], other[0], thrust::raw_pointer_cast(pointer + 3) - result,
               static_cast<int>(pointer[5]), static_cast<int>(*(pointer + 2)));
}

#endif
