/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_CONCEPTS_H
#define CHECK_CONCEPTS_H

#include <concepts>

struct check_unregular {
    check_unregular(const check_unregular &) = delete;
};

template <std::integral T> __device__ inline int check_which(T)
{
    return 1;
}
template <std::floating_point T> __device__ inline int check_which(T)
{
    return 2;
}

__device__ __noinline__ inline void check_concepts(check_values &out)
{
    CHECK_SHOW(std::same_as<int, int>, std::same_as<int, long>, std::derived_from<int, int>,
               std::convertible_to<int, double>, std::convertible_to<int, int *>,
               std::signed_integral<unsigned>, std::unsigned_integral<unsigned>, std::copyable<int>,
               std::copyable<check_unregular>, std::regular<int>, std::regular<check_unregular>,
               std::totally_ordered<double>, std::totally_ordered<check_unregular>,
               std::default_initializable<const int>, std::assignable_from<int &, int>,
               std::assignable_from<int, int>, std::swappable<int>, std::destructible<int[2]>,
               std::invocable<int (*)(int), char>, std::invocable<int (*)(int), int *>,
               std::predicate<bool (*)(int), int>, std::equality_comparable_with<int, double>,
               std::common_with<int, float>);
    CHECK_SHOW(check_which(1), check_which(1.0f), check_which('c'));
}

#endif
