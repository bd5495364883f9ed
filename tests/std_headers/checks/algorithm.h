/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_ALGORITHM_H
#define CHECK_ALGORITHM_H

#include <algorithm>
#include <functional>

struct check_sorted {
    int key;
    int place;
    __device__ bool operator<(const check_sorted &other) const
    {
        return key < other.key;
    }
};

__device__ __noinline__ inline void check_algorithm_searches(check_values &out)
{
    const int data[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 5, 8};
    const int part[] = {5, 5};
    const int set[] = {6, 9};
    const int *end = std::end(data);
    auto large = [](int x) { return x > 4; };
    CHECK_SHOW(std::find(data, end, 9) - data, std::find_if(data, end, large) - data,
               std::find_if_not(data, end, large) - data);
    CHECK_SHOW(std::count(data, end, 5), std::count_if(data, end, large), std::all_of(data, end, large),
               std::any_of(data, end, large), std::none_of(data, end, large));
    CHECK_SHOW(std::search(data, end, part, part + 2) - data, std::find_end(data, end, part, part + 1) - data,
               std::find_first_of(data, end, set, set + 2) - data, std::adjacent_find(data, end) - data,
               std::search_n(data, end, 2, 5) - data, std::search_n(data, end, 3, 5) - data);
    CHECK_SHOW(std::max_element(data, end) - data, std::min_element(data, end) - data,
               std::minmax_element(data, end).first - data, std::minmax_element(data, end).second - data);
    CHECK_SHOW(std::equal(data, end, data), std::mismatch(data, end - 1, data + 1).first - data,
               std::lexicographical_compare(part, part + 2, set, set + 2),
               std::is_permutation(part, part + 2, part));
    const int shuffled[] = {1, 3, 1, 4};
    CHECK_SHOW(std::is_permutation(data, data + 4, shuffled), std::is_permutation(data, data + 3, shuffled));
}

__device__ __noinline__ inline void check_algorithm_changes(check_values &out)
{
    int data[12];
    int other[24];
    auto show = [&](int *last) { std::for_each(other, last, [&](int x) { CHECK_SHOW(x); }); };
    auto odd = [](int x) { return x % 2 != 0; };
    int next = 0;
    std::generate(data, data + 12, [&]() { return (next = (next * 7 + 5) % 11); });
    show(std::copy(data, data + 12, other));
    show(std::copy_if(data, data + 12, other, odd));
    show(std::transform(data, data + 12, data, other, [](int a, int b) { return a * b + 1; }));
    show(std::remove_copy_if(data, data + 12, other, odd));
    show(std::replace_copy(data, data + 12, other, 5, -5));
    show(std::reverse_copy(data, data + 5, other));
    show(std::rotate_copy(data, data + 4, data + 12, other));
    show(std::unique_copy(data, data + 12, other));
    std::copy(data, data + 12, other);
    CHECK_SHOW(std::rotate(other, other + 5, other + 12) - other);
    show(other + 12);
    std::reverse(other, other + 12);
    show(other + 12);
    show(std::remove_if(other, other + 12, odd));
    std::fill(other, other + 12, 7);
    std::fill_n(other + 2, 3, 1);
    show(std::unique(other, other + 12));
    std::copy(data, data + 12, other);
    std::copy_backward(other, other + 6, other + 8);
    std::swap_ranges(other, other + 3, other + 6);
    std::replace_if(other, other + 12, odd, 100);
    show(other + 12);
    std::copy(data, data + 12, other);
    CHECK_SHOW(std::stable_partition(other, other + 12, odd) - other,
               std::is_partitioned(other, other + 12, odd),
               std::partition_point(other, other + 12, odd) - other);
    show(other + 12);
    CHECK_SHOW(std::partition(other, other + 12, [](int x) { return x < 5; }) - other);
}

__device__ __noinline__ inline void check_algorithm_sorts(check_values &out)
{
    check_sorted data[40];
    for (int i = 0; i < 40; i++) {
        data[i] = {(i * 17 + 3) % 13, i};
    }
    std::stable_sort(data, data + 40);
    for (const check_sorted &one : data) {
        CHECK_SHOW(one.key, one.place);
    }
    int keys[40];
    auto restore = [&]() {
        std::transform(data, data + 40, keys, [](const check_sorted &x) { return (x.place * 29) % 41; });
    };
    restore();
    std::sort(keys, keys + 40);
    CHECK_SHOW(std::is_sorted(keys, keys + 40), keys[0], keys[7], keys[39],
               std::binary_search(keys, keys + 40, keys[20]), std::lower_bound(keys, keys + 40, 17) - keys,
               std::upper_bound(keys, keys + 40, 17) - keys,
               std::equal_range(keys, keys + 40, 100).first - keys);
    restore();
    std::sort(keys, keys + 12, std::greater<int>());
    CHECK_SHOW(keys[0], keys[5], keys[11], std::is_sorted_until(keys, keys + 40) - keys);
    restore();
    std::nth_element(keys, keys + 13, keys + 40);
    CHECK_SHOW(keys[13], *std::max_element(keys, keys + 13) <= keys[13]);
    restore();
    std::partial_sort(keys, keys + 5, keys + 40);
    CHECK_SHOW(keys[0], keys[1], keys[4]);
    restore();
    std::make_heap(keys, keys + 39);
    std::push_heap(keys, keys + 40);
    CHECK_SHOW(std::is_heap(keys, keys + 40), keys[0]);
    std::pop_heap(keys, keys + 40);
    CHECK_SHOW(keys[39], std::is_heap(keys, keys + 39));
    std::sort_heap(keys, keys + 39);
    CHECK_SHOW(std::is_sorted(keys, keys + 40));
}

__device__ __noinline__ inline void check_algorithm_sets(check_values &out)
{
    const int a[] = {1, 2, 2, 4, 7, 9};
    const int b[] = {2, 3, 4, 4, 9, 12};
    int result[12];
    auto show = [&](int *last) { std::for_each(result, last, [&](int x) { CHECK_SHOW(x); }); };
    show(std::merge(a, a + 6, b, b + 6, result));
    show(std::set_union(a, a + 6, b, b + 6, result));
    show(std::set_intersection(a, a + 6, b, b + 6, result));
    show(std::set_difference(a, a + 6, b, b + 6, result));
    show(std::set_symmetric_difference(a, a + 6, b, b + 6, result));
    CHECK_SHOW(std::includes(a, a + 6, a + 1, a + 4), std::includes(a, a + 6, b, b + 6));
    std::copy(b, b + 6, std::copy(a, a + 6, result));
    std::inplace_merge(result, result + 6, result + 12);
    show(result + 12);
    int letters[] = {1, 2, 2, 3};
    int count = 0;
    do {
        count++;
        CHECK_SHOW(letters[0] * 1000 + letters[1] * 100 + letters[2] * 10 + letters[3]);
    } while (std::next_permutation(letters, letters + 4));
    CHECK_SHOW(count, std::prev_permutation(letters, letters + 4), letters[0]);
}

__device__ __noinline__ inline void check_algorithm(check_values &out)
{
    check_algorithm_searches(out);
    check_algorithm_changes(out);
    check_algorithm_sorts(out);
    check_algorithm_sets(out);
    int one = 1;
    int two = 1;
    CHECK_SHOW(&std::min(one, two) == &one, &std::max(one, two) == &one, std::max({3, 9, 4}),
               std::min({3, 1, 4}), std::clamp(12, 3, 9), std::minmax(5, 2).first,
               std::minmax({4, 1, 8}).second, std::max(2.5, 1.5));
}

#endif
