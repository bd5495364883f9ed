// SPDX-License-Identifier: Apache-2.0
// advance(), distance(), next() and prev().
#ifndef CUBINET_STD_ITERATE_H
#define CUBINET_STD_ITERATE_H

#include "cubinet_std/reverse_iterator.h"

namespace std
{

namespace __cubinet
{

template <class _Iterator, class _Difference>
_CUBINET_HD constexpr void __advance(_Iterator &__at, _Difference __n, random_access_iterator_tag)
{
    __at += __n;
}
template <class _Iterator, class _Difference>
_CUBINET_HD constexpr void __advance(_Iterator &__at, _Difference __n, bidirectional_iterator_tag)
{
    for (; __n > 0; --__n) {
        ++__at;
    }
    for (; __n < 0; ++__n) {
        --__at;
    }
}
template <class _Iterator, class _Difference>
_CUBINET_HD constexpr void __advance(_Iterator &__at, _Difference __n, input_iterator_tag)
{
    for (; __n > 0; --__n) {
        ++__at;
    }
}

template <class _Iterator>
_CUBINET_HD constexpr typename iterator_traits<_Iterator>::difference_type
__distance(_Iterator __first, _Iterator __last, random_access_iterator_tag)
{
    return __last - __first;
}
template <class _Iterator>
_CUBINET_HD constexpr typename iterator_traits<_Iterator>::difference_type
__distance(_Iterator __first, _Iterator __last, input_iterator_tag)
{
    typename iterator_traits<_Iterator>::difference_type __count = 0;
    for (; __first != __last; ++__first) {
        ++__count;
    }
    return __count;
}

} // namespace __cubinet

template <class _Iterator, class _Difference>
_CUBINET_HD constexpr void advance(_Iterator &__at, _Difference __n)
{
    __cubinet::__advance(__at, static_cast<typename iterator_traits<_Iterator>::difference_type>(__n),
                         typename iterator_traits<_Iterator>::iterator_category());
}
template <class _Iterator>
_CUBINET_HD constexpr typename iterator_traits<_Iterator>::difference_type distance(_Iterator __first,
                                                                                    _Iterator __last)
{
    return __cubinet::__distance(__first, __last, typename iterator_traits<_Iterator>::iterator_category());
}
template <class _Iterator>
_CUBINET_HD constexpr _Iterator next(_Iterator __at,
                                     typename iterator_traits<_Iterator>::difference_type __n = 1)
{
    std::advance(__at, __n);
    return __at;
}
template <class _Iterator>
_CUBINET_HD constexpr _Iterator prev(_Iterator __at,
                                     typename iterator_traits<_Iterator>::difference_type __n = 1)
{
    std::advance(__at, -__n);
    return __at;
}

} // namespace std

#endif
