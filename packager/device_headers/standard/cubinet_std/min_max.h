// SPDX-License-Identifier: Apache-2.0
// min(), max() and clamp().
#ifndef CUBINET_STD_MIN_MAX_H
#define CUBINET_STD_MIN_MAX_H

#include "cubinet_std/range_access.h"

namespace std
{

template <class _Ty> _CUBINET_HD constexpr const _Ty &max(const _Ty &__a, const _Ty &__b)
{
    return __a < __b ? __b : __a;
}
template <class _Ty, class _Less>
_CUBINET_HD constexpr const _Ty &max(const _Ty &__a, const _Ty &__b, _Less __less)
{
    return __less(__a, __b) ? __b : __a;
}
template <class _Ty> _CUBINET_HD constexpr const _Ty &min(const _Ty &__a, const _Ty &__b)
{
    return __b < __a ? __b : __a;
}
template <class _Ty, class _Less>
_CUBINET_HD constexpr const _Ty &min(const _Ty &__a, const _Ty &__b, _Less __less)
{
    return __less(__b, __a) ? __b : __a;
}

template <class _Ty> _CUBINET_HD constexpr _Ty max(initializer_list<_Ty> __list)
{
    const _Ty *__largest = __list.begin();
    for (const _Ty *__at = __largest + 1; __at != __list.end(); ++__at) {
        __largest = *__largest < *__at ? __at : __largest;
    }
    return *__largest;
}
template <class _Ty, class _Less> _CUBINET_HD constexpr _Ty max(initializer_list<_Ty> __list, _Less __less)
{
    const _Ty *__largest = __list.begin();
    for (const _Ty *__at = __largest + 1; __at != __list.end(); ++__at) {
        __largest = __less(*__largest, *__at) ? __at : __largest;
    }
    return *__largest;
}
template <class _Ty> _CUBINET_HD constexpr _Ty min(initializer_list<_Ty> __list)
{
    const _Ty *__smallest = __list.begin();
    for (const _Ty *__at = __smallest + 1; __at != __list.end(); ++__at) {
        __smallest = *__at < *__smallest ? __at : __smallest;
    }
    return *__smallest;
}
template <class _Ty, class _Less> _CUBINET_HD constexpr _Ty min(initializer_list<_Ty> __list, _Less __less)
{
    const _Ty *__smallest = __list.begin();
    for (const _Ty *__at = __smallest + 1; __at != __list.end(); ++__at) {
        __smallest = __less(*__at, *__smallest) ? __at : __smallest;
    }
    return *__smallest;
}

template <class _Ty>
_CUBINET_HD constexpr const _Ty &clamp(const _Ty &__value, const _Ty &__low, const _Ty &__high)
{
    return __value < __low ? __low : __high < __value ? __high : __value;
}
template <class _Ty, class _Less>
_CUBINET_HD constexpr const _Ty &clamp(const _Ty &__value, const _Ty &__low, const _Ty &__high, _Less __less)
{
    return __less(__value, __low) ? __low : __less(__high, __value) ? __high : __value;
}

} // namespace std

#endif
