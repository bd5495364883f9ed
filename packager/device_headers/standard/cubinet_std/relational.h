// SPDX-License-Identifier: Apache-2.0
// The comparisons that follow from == and <, where a class names its template parameters and its type.
#ifndef CUBINET_STD_RELATIONAL_H
#define CUBINET_STD_RELATIONAL_H

#include "cubinet_std/config.h"

#define _CUBINET_COMPARISONS(parameters, left, right)                                                        \
    template <_CUBINET_UNWRAP parameters>                                                                    \
    _CUBINET_HD constexpr bool operator!=(const _CUBINET_UNWRAP left &__a, const _CUBINET_UNWRAP right &__b) \
    {                                                                                                        \
        return !(__a == __b);                                                                                \
    }                                                                                                        \
    template <_CUBINET_UNWRAP parameters>                                                                    \
    _CUBINET_HD constexpr bool operator>(const _CUBINET_UNWRAP left &__a, const _CUBINET_UNWRAP right &__b)  \
    {                                                                                                        \
        return __b < __a;                                                                                    \
    }                                                                                                        \
    template <_CUBINET_UNWRAP parameters>                                                                    \
    _CUBINET_HD constexpr bool operator<=(const _CUBINET_UNWRAP left &__a, const _CUBINET_UNWRAP right &__b) \
    {                                                                                                        \
        return !(__b < __a);                                                                                 \
    }                                                                                                        \
    template <_CUBINET_UNWRAP parameters>                                                                    \
    _CUBINET_HD constexpr bool operator>=(const _CUBINET_UNWRAP left &__a, const _CUBINET_UNWRAP right &__b) \
    {                                                                                                        \
        return !(__a < __b);                                                                                 \
    }
#define _CUBINET_UNWRAP(...) __VA_ARGS__

#endif
