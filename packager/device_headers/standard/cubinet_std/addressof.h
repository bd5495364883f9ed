// SPDX-License-Identifier: Apache-2.0
#ifndef CUBINET_STD_ADDRESSOF_H
#define CUBINET_STD_ADDRESSOF_H

#include "cubinet_std/config.h"

namespace std
{

// The address even of an object whose class has an operator &.
template <class _Ty> _CUBINET_HD constexpr _Ty *addressof(_Ty &__object) noexcept
{
#ifdef _CUBINET_HAS_ADDRESSOF
    return __builtin_addressof(__object);
#else
    return reinterpret_cast<_Ty *>(&const_cast<char &>(reinterpret_cast<const volatile char &>(__object)));
#endif
}
template <class _Ty> const _Ty *addressof(const _Ty &&) = delete;

} // namespace std

#endif
