// SPDX-License-Identifier: Apache-2.0
// move(), forward(), swap(), and what <type_traits> says of swapping.
#ifndef CUBINET_STD_SWAP_H
#define CUBINET_STD_SWAP_H

#include "../type_traits"

namespace std
{

// NVRTC declares move() and forward() itself, unless it is told not to.
#if !__NV_BUILTIN_MOVE_FORWARD
template <class _Ty> _CUBINET_HD constexpr _Ty &&forward(remove_reference_t<_Ty> &__value) noexcept
{
    return static_cast<_Ty &&>(__value);
}
template <class _Ty> _CUBINET_HD constexpr _Ty &&forward(remove_reference_t<_Ty> &&__value) noexcept
{
    static_assert(!is_lvalue_reference<_Ty>::value, "an rvalue is not an lvalue");
    return static_cast<_Ty &&>(__value);
}
template <class _Ty> _CUBINET_HD constexpr remove_reference_t<_Ty> &&move(_Ty &&__value) noexcept
{
    return static_cast<remove_reference_t<_Ty> &&>(__value);
}
#endif

template <class _Ty>
_CUBINET_HD constexpr enable_if_t<is_move_constructible<_Ty>::value && is_move_assignable<_Ty>::value>
swap(_Ty &__a,
     _Ty &__b) noexcept(is_nothrow_move_constructible<_Ty>::value &&is_nothrow_move_assignable<_Ty>::value);

template <class _Ty, size_t _Size> _CUBINET_HD constexpr void swap(_Ty (&__a)[_Size], _Ty (&__b)[_Size]);

template <class _Ty>
_CUBINET_HD constexpr enable_if_t<is_move_constructible<_Ty>::value && is_move_assignable<_Ty>::value>
swap(_Ty &__a,
     _Ty &__b) noexcept(is_nothrow_move_constructible<_Ty>::value &&is_nothrow_move_assignable<_Ty>::value)
{
    _Ty __held = std::move(__a);
    __a = std::move(__b);
    __b = std::move(__held);
}

template <class _Ty, size_t _Size> _CUBINET_HD constexpr void swap(_Ty (&__a)[_Size], _Ty (&__b)[_Size])
{
    for (size_t __i = 0; __i < _Size; __i++) {
        swap(__a[__i], __b[__i]);
    }
}

namespace __cubinet_swap
{

using std::swap;
template <class _Ta, class _Tb, class = void> struct __swaps {
    static constexpr bool __works = false;
    static constexpr bool __nothrow = false;
};
template <class _Ta, class _Tb>
struct __swaps<_Ta, _Tb,
               void_t<decltype(swap(std::declval<_Ta>(), std::declval<_Tb>())),
                      decltype(swap(std::declval<_Tb>(), std::declval<_Ta>()))>> {
    static constexpr bool __works = true;
    static constexpr bool __nothrow = noexcept(swap(std::declval<_Ta>(), std::declval<_Tb>())) &&noexcept(
        swap(std::declval<_Tb>(), std::declval<_Ta>()));
};

} // namespace __cubinet_swap

template <class _Ta, class _Tb>
struct is_swappable_with : bool_constant<__cubinet_swap::__swaps<_Ta, _Tb>::__works> {
};
template <class _Ta, class _Tb>
struct is_nothrow_swappable_with : bool_constant<__cubinet_swap::__swaps<_Ta, _Tb>::__nothrow> {
};
template <class _Ty>
struct is_swappable : is_swappable_with<add_lvalue_reference_t<_Ty>, add_lvalue_reference_t<_Ty>> {
};
template <class _Ty>
struct is_nothrow_swappable
    : is_nothrow_swappable_with<add_lvalue_reference_t<_Ty>, add_lvalue_reference_t<_Ty>> {
};
template <class _Ta, class _Tb>
_CUBINET_INLINE_VARIABLE bool is_swappable_with_v = is_swappable_with<_Ta, _Tb>::value;
template <class _Ta, class _Tb>
_CUBINET_INLINE_VARIABLE bool is_nothrow_swappable_with_v = is_nothrow_swappable_with<_Ta, _Tb>::value;
template <class _Ty> _CUBINET_INLINE_VARIABLE bool is_swappable_v = is_swappable<_Ty>::value;
template <class _Ty> _CUBINET_INLINE_VARIABLE bool is_nothrow_swappable_v = is_nothrow_swappable<_Ty>::value;

} // namespace std

#endif
