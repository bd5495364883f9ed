// SPDX-License-Identifier: Apache-2.0
// integer_sequence and its makers.
#ifndef CUBINET_STD_SEQUENCE_H
#define CUBINET_STD_SEQUENCE_H

#include "cubinet_std/config.h"

namespace std
{

template <class _Ty, _Ty... _Values> struct integer_sequence {
    using value_type = _Ty;
    _CUBINET_HD static constexpr size_t size() noexcept
    {
        return sizeof...(_Values);
    }
};
template <size_t... _Values> using index_sequence = integer_sequence<size_t, _Values...>;

namespace __cubinet
{

template <class _First, class _Second> struct __joined;
template <class _Ty, _Ty... _As, _Ty... _Bs>
struct __joined<integer_sequence<_Ty, _As...>, integer_sequence<_Ty, _Bs...>> {
    using type = integer_sequence<_Ty, _As..., (static_cast<_Ty>(sizeof...(_As)) + _Bs)...>;
};
// By halves, so that a long sequence is not as deep as it is long.
template <class _Ty, size_t _Size>
struct __counted
    : __joined<typename __counted<_Ty, _Size / 2>::type, typename __counted<_Ty, _Size - _Size / 2>::type> {
};
template <class _Ty> struct __counted<_Ty, 0> {
    using type = integer_sequence<_Ty>;
};
template <class _Ty> struct __counted<_Ty, 1> {
    using type = integer_sequence<_Ty, static_cast<_Ty>(0)>;
};

} // namespace __cubinet

template <class _Ty, _Ty _Size>
using make_integer_sequence = typename __cubinet::__counted<_Ty, static_cast<size_t>(_Size)>::type;
template <size_t _Size> using make_index_sequence = make_integer_sequence<size_t, _Size>;
template <class... _Ts> using index_sequence_for = make_index_sequence<sizeof...(_Ts)>;

} // namespace std

#endif
