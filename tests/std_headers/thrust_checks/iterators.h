/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_THRUST_ITERATORS_H
#define CHECK_THRUST_ITERATORS_H

#include <thrust/distance.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <thrust/zip_function.h>

struct check_square {
    __host__ __device__ int operator()(int x) const
    {
        return x * x;
    }
};

__device__ __noinline__ inline void check_iterators(check_values &out)
{
    int keys[] = {3, 1, 2, 1};
    float values[] = {0.5f, 1.5f, 2.5f, 3.5f};
    int order[] = {2, 0, 3, 1};
    thrust::counting_iterator<int> count(5);
    CHECK_SHOW(*count, count[10], thrust::distance(count, count + 7),
               thrust::reduce(thrust::seq, count, count + 4));
    auto squares = thrust::make_transform_iterator(count, check_square());
    CHECK_SHOW(*squares, squares[3], thrust::reduce(thrust::seq, squares, squares + 3));
    CHECK_SHOW(thrust::make_constant_iterator(7)[100], *(thrust::make_reverse_iterator(keys + 4) + 1),
               thrust::make_permutation_iterator(values, order)[2]);
    auto both = thrust::make_zip_iterator(thrust::make_tuple(keys, values));
    CHECK_SHOW(thrust::get<0>(*both), thrust::get<1>(both[2]));
    thrust::sort(thrust::seq, both, both + 4,
                 [](const thrust::tuple<int, float> &a, const thrust::tuple<int, float> &b) {
                     return thrust::get<0>(a) * 10 + thrust::get<1>(a) <
                            thrust::get<0>(b) * 10 + thrust::get<1>(b);
                 });
    CHECK_SHOW(keys[0], keys[1], keys[2], keys[3], values[0], values[1], values[2], values[3]);
    thrust::for_each(thrust::seq, both, both + 4,
                     thrust::make_zip_function([](int &a, float &b) { b += a; }));
    CHECK_SHOW(values[0], values[1], values[2], values[3]);
    thrust::transform(thrust::seq, keys, keys + 4,
                      thrust::make_transform_output_iterator(order, check_square()),
                      [](int x) { return x > 2 ? 0 : x; });
    thrust::transform(thrust::seq, keys, keys + 4, thrust::make_discard_iterator(), check_square());
    CHECK_SHOW(order[0], order[1], order[2]);
    thrust::pair<int, double> pair = thrust::make_pair(4, 2.5);
    thrust::tuple<int, double, char> tuple(1, 0.25, 'x');
    int first;
    double second;
    thrust::tie(first, second) = thrust::make_tuple(9, 9.5);
    CHECK_SHOW(pair.first, pair.second, pair < thrust::make_pair(4, 3.0), thrust::get<2>(tuple), first,
               second, thrust::tuple_size<thrust::tuple<int, int>>::value);
}

#endif
