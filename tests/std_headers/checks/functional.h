/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_FUNCTIONAL_H
#define CHECK_FUNCTIONAL_H

#include <functional>

struct check_counter {
    int base;
    __device__ int add(int more) const
    {
        return base + more;
    }
    __device__ int operator()(int a, int b)
    {
        return base = base * 100 + a * 10 + b;
    }
};

__device__ inline int check_subtract(int a, int b)
{
    return a - b;
}

struct check_half : std::unary_function<float, double> {
    __device__ double operator()(float a) const
    {
        return a / 2;
    }
};
struct check_scale : std::binary_function<int, char, double> {
    __device__ double operator()(int a, char b) const
    {
        return a * b;
    }
};

__device__ __noinline__ inline void check_functional(check_values &out)
{
    using namespace std::placeholders;
    CHECK_SHOW(std::plus<int>()(2, 3), std::minus<>()(2, 3.5), std::multiplies<>()(4, 5),
               std::divides<int>()(9, 2), std::modulus<int>()(9, 4), std::negate<>()(3),
               std::bit_and<>()(12, 10), std::bit_or<>()(12, 10), std::bit_xor<>()(12, 10),
               std::bit_not<>()(5), std::equal_to<>()(3, 3.0), std::not_equal_to<int>()(3, 3),
               std::less<>()(1, 2), std::greater<>()(1, 2), std::less_equal<int>()(2, 2),
               std::greater_equal<int>()(1, 2), std::logical_and<>()(true, 0), std::logical_or<>()(true, 0),
               std::logical_not<>()(3));
    CHECK_SHOW(check_half()(3), sizeof(check_half::argument_type), sizeof(check_half::result_type),
               check_scale()(3, 4), sizeof(check_scale::first_argument_type),
               sizeof(check_scale::second_argument_type), sizeof(check_scale::result_type));
    check_counter counter{7};
    CHECK_SHOW(std::invoke(&check_counter::add, counter, 3), std::invoke(&check_counter::base, &counter),
               std::invoke(check_subtract, 9, 4), std::mem_fn(&check_counter::add)(&counter, 1),
               std::not_fn(std::less<>())(1, 2));
    auto bound = std::bind(check_subtract, _2, _1);
    CHECK_SHOW(bound(1, 10), std::bind(check_subtract, 5, _1)(2), std::bind(check_subtract, bound, 1)(2, 9),
               std::bind(&check_counter::add, &counter, _1)(4), std::bind(std::ref(counter), 1, 2)(),
               counter.base, std::bind_front(check_subtract, 20)(5));
    int number = 3;
    auto reference = std::ref(number);
    reference.get() = 8;
    CHECK_SHOW(number, reference + 1, std::cref(number).get(), std::hash<int>()(42),
               std::hash<double>()(0.0) == std::hash<double>()(-0.0),
               std::is_placeholder<decltype(_3)>::value, std::identity()(6));
}

#endif
