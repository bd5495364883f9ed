// SPDX-License-Identifier: Apache-2.0
// The function objects for operators.
#ifndef CUBINET_STD_OPERATIONS_H
#define CUBINET_STD_OPERATIONS_H

#include "cubinet_std/swap.h"

namespace std
{

// Of C++98; libstdc++ has them in every dialect.
template <class _Argument, class _Result> struct unary_function {
    using argument_type = _Argument;
    using result_type = _Result;
};
template <class _First, class _Second, class _Result> struct binary_function {
    using first_argument_type = _First;
    using second_argument_type = _Second;
    using result_type = _Result;
};

#define _CUBINET_BINARY(name, result, op)                                                                    \
    template <class _Ty = void> struct name {                                                                \
        using result_type = result;                                                                          \
        using first_argument_type = _Ty;                                                                     \
        using second_argument_type = _Ty;                                                                    \
        _CUBINET_HD constexpr result operator()(const _Ty &__a, const _Ty &__b) const                        \
        {                                                                                                    \
            return __a op __b;                                                                               \
        }                                                                                                    \
    };                                                                                                       \
    template <> struct name<void> {                                                                          \
        using is_transparent = void;                                                                         \
        template <class _Ta, class _Tb>                                                                      \
        _CUBINET_HD constexpr auto operator()(_Ta &&__a, _Tb &&__b) const                                    \
            -> decltype(std::forward<_Ta>(__a) op std::forward<_Tb>(__b))                                    \
        {                                                                                                    \
            return std::forward<_Ta>(__a) op std::forward<_Tb>(__b);                                         \
        }                                                                                                    \
    };
#define _CUBINET_UNARY(name, result, op)                                                                     \
    template <class _Ty = void> struct name {                                                                \
        using result_type = result;                                                                          \
        using argument_type = _Ty;                                                                           \
        _CUBINET_HD constexpr result operator()(const _Ty &__value) const                                    \
        {                                                                                                    \
            return op __value;                                                                               \
        }                                                                                                    \
    };                                                                                                       \
    template <> struct name<void> {                                                                          \
        using is_transparent = void;                                                                         \
        template <class _Ty>                                                                                 \
        _CUBINET_HD constexpr auto operator()(_Ty &&__value) const                                           \
            -> decltype(op std::forward<_Ty>(__value))                                                       \
        {                                                                                                    \
            return op std::forward<_Ty>(__value);                                                            \
        }                                                                                                    \
    };

_CUBINET_BINARY(plus, _Ty, +)
_CUBINET_BINARY(minus, _Ty, -)
_CUBINET_BINARY(multiplies, _Ty, *)
_CUBINET_BINARY(divides, _Ty, /)
_CUBINET_BINARY(modulus, _Ty, %)
_CUBINET_BINARY(bit_and, _Ty, &)
_CUBINET_BINARY(bit_or, _Ty, |)
_CUBINET_BINARY(bit_xor, _Ty, ^)
_CUBINET_BINARY(equal_to, bool, ==)
_CUBINET_BINARY(not_equal_to, bool, !=)
_CUBINET_BINARY(greater, bool, >)
_CUBINET_BINARY(less, bool, <)
_CUBINET_BINARY(greater_equal, bool, >=)
_CUBINET_BINARY(less_equal, bool, <=)
_CUBINET_BINARY(logical_and, bool, &&)
_CUBINET_BINARY(logical_or, bool, ||)
_CUBINET_UNARY(negate, _Ty, -)
_CUBINET_UNARY(logical_not, bool, !)
_CUBINET_UNARY(bit_not, _Ty, ~)

#undef _CUBINET_BINARY
#undef _CUBINET_UNARY

} // namespace std

#endif
