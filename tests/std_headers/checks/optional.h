/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_OPTIONAL_H
#define CHECK_OPTIONAL_H

#include <optional>

struct check_owner {
    int *alive;
    __device__ check_owner(int *count) : alive(count)
    {
        ++*alive;
    }
    __device__ check_owner(const check_owner &other) : alive(other.alive)
    {
        ++*alive;
    }
    check_owner &operator=(const check_owner &) = default;
    __device__ ~check_owner()
    {
        --*alive;
    }
};

__device__ __noinline__ inline void check_optional(check_values &out)
{
    std::optional<int> none;
    std::optional<int> three = 3;
    CHECK_SHOW(none.has_value(), three.has_value(), *three, three.value(), none.value_or(9),
               three.value_or(9), none<three, three == 3, none == std::nullopt, three> 2, none != three,
               std::make_optional(2.5).value());
    none = 4;
    three = std::nullopt;
    std::swap(none, three);
    CHECK_SHOW(none.has_value(), *three, three.emplace(8), three >= 9, std::optional<double>(three).value());
    int alive = 0;
    {
        std::optional<check_owner> owner(&alive);
        std::optional<check_owner> copy = owner;
        CHECK_SHOW(alive);
        owner.reset();
        CHECK_SHOW(alive);
        owner = copy;
        copy = std::nullopt;
        CHECK_SHOW(alive, owner->alive == &alive);
    }
    CHECK_SHOW(alive);
    constexpr std::optional<int> constant(std::in_place, 6);
    static_assert(constant.value() == 6);
    CHECK_SHOW(*constant, std::is_trivially_copyable<std::optional<int>>::value);
}

#endif
