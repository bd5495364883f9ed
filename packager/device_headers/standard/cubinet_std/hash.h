// SPDX-License-Identifier: Apache-2.0
// std::hash of arithmetic types, enumerations and pointers.
#ifndef CUBINET_STD_HASH_H
#define CUBINET_STD_HASH_H

#include <type_traits>

namespace std
{

namespace __cubinet
{

// What has no hash can't be made.
template <class _Ty, class = void> struct __hash {
    __hash() = delete;
    __hash(const __hash &) = delete;
    __hash &operator=(const __hash &) = delete;
};
template <class _Ty> struct __hash<_Ty, enable_if_t<is_integral<_Ty>::value || is_enum<_Ty>::value>> {
    _CUBINET_HD constexpr size_t operator()(_Ty __value) const noexcept
    {
        return static_cast<size_t>(__value);
    }
};
template <class _Ty> struct __hash<_Ty *, void> {
    _CUBINET_HD size_t operator()(_Ty *__value) const noexcept
    {
        return reinterpret_cast<size_t>(__value);
    }
};
template <> struct __hash<float, void> {
    _CUBINET_HD size_t operator()(float __value) const noexcept
    {
        return __value == 0 ? 0 : __float_as_uint(__value); // the zeros are equal
    }
};
template <> struct __hash<double, void> {
    _CUBINET_HD size_t operator()(double __value) const noexcept
    {
        return __value == 0 ? 0 : static_cast<size_t>(__double_as_longlong(__value));
    }
};
template <> struct __hash<nullptr_t, void> {
    _CUBINET_HD constexpr size_t operator()(nullptr_t) const noexcept
    {
        return 0;
    }
};

} // namespace __cubinet

template <class _Ty> struct hash : __cubinet::__hash<_Ty> {
    using argument_type = _Ty;
    using result_type = size_t;
};

} // namespace std

#endif
