/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_VARIANT_H
#define CHECK_VARIANT_H

#include <variant>

struct check_counted {
    int *alive;
    __device__ check_counted(int *count) : alive(count)
    {
        ++*alive;
    }
    __device__ check_counted(const check_counted &other) : alive(other.alive)
    {
        ++*alive;
    }
    check_counted &operator=(const check_counted &) = default;
    __device__ ~check_counted()
    {
        --*alive;
    }
};

struct check_size_of {
    template <class... Ts> __device__ int operator()(const Ts &...values) const
    {
        return (0 + ... + (static_cast<int>(sizeof(values)) * 10));
    }
};

__device__ __noinline__ inline void check_variant(check_values &out)
{
    std::variant<int, double, char> value = 2.5;
    std::variant<int, double, char> other('c');
    CHECK_SHOW(value.index(), std::get<1>(value), std::get<double>(value), std::holds_alternative<int>(value),
               std::get_if<int>(&value) == nullptr, *std::get_if<1>(&value), value == other, value < other,
               value != other);
    CHECK_SHOW(std::visit(check_size_of(), value), std::visit(check_size_of(), value, other),
               value.emplace<int>(6), value.index(), std::visit<long>(check_size_of(), other));
    std::swap(value, other);
    CHECK_SHOW(value.index(), std::get<0>(other), std::variant_size_v<decltype(value)>);
    value = 3;
    CHECK_SHOW(value.index(), std::get<int>(value), std::variant<std::monostate, int>().index());
    int alive = 0;
    {
        std::variant<int, check_counted> counted(std::in_place_index<1>, &alive);
        auto copy = counted;
        CHECK_SHOW(alive);
        counted = 4;
        CHECK_SHOW(alive, counted.index());
        counted = copy;
        copy = 5;
        CHECK_SHOW(alive, counted.index());
    }
    CHECK_SHOW(alive);
    constexpr std::variant<int, float> constant(1.5f);
    static_assert(std::get<1>(constant) == 1.5f && constant.index() == 1);
    CHECK_SHOW(std::is_trivially_copyable<decltype(constant)>::value);
}

#endif
