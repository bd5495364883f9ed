// SPDX-License-Identifier: Apache-2.0
// Vectors whose sums are computed in one loop.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace lazy {

template <typename E> struct expression {
    __host__ __device__ const E &self() const { return static_cast<const E &>(*this); }
};

template <typename T> struct view : expression<view<T>> {
    T *data;
    __host__ __device__ explicit view(T *p) : data(p) {}
    __host__ __device__ T operator[](std::size_t i) const { return data[i]; }
};

template <typename T> struct scalar : expression<scalar<T>> {
    T value;
    __host__ __device__ explicit scalar(T v) : value(v) {}
    __host__ __device__ T operator[](std::size_t) const { return value; }
};

template <typename Op, typename L, typename R> struct binary : expression<binary<Op, L, R>> {
    L left;
    R right;
    __host__ __device__ binary(const L &l, const R &r) : left(l), right(r) {}
    __host__ __device__ auto operator[](std::size_t i) const -> decltype(Op::apply(left[i], right[i]))
    {
        return Op::apply(left[i], right[i]);
    }
};

struct add {
    template <typename A, typename B> __host__ __device__ static auto apply(A a, B b) -> decltype(a + b) { return a + b; }
};
struct multiply {
    template <typename A, typename B> __host__ __device__ static auto apply(A a, B b) -> decltype(a * b) { return a * b; }
};

template <typename L, typename R>
__host__ __device__ binary<add, L, R> operator+(const expression<L> &l, const expression<R> &r)
{
    return {l.self(), r.self()};
}

template <typename L, typename R>
__host__ __device__ binary<multiply, L, R> operator*(const expression<L> &l, const expression<R> &r)
{
    return {l.self(), r.self()};
}

template <typename T, typename E> __device__ void assign(T *out, const expression<E> &e, std::size_t n)
{
    static_assert(std::is_convertible<decltype(std::declval<E>()[0]), T>::value, "an expression of these");
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = e.self()[i];
    }
}

} // namespace lazy
