// SPDX-License-Identifier: Apache-2.0
// begin(), end(), size(), data() and their kind: in <iterator>, <array>, <span>, <initializer_list>.
#ifndef CUBINET_STD_RANGE_ACCESS_H
#define CUBINET_STD_RANGE_ACCESS_H

#include <type_traits>

namespace std
{

template <class _Range> _CUBINET_HD constexpr auto begin(_Range &__range) -> decltype(__range.begin())
{
    return __range.begin();
}
template <class _Range> _CUBINET_HD constexpr auto begin(const _Range &__range) -> decltype(__range.begin())
{
    return __range.begin();
}
template <class _Ty, size_t _Size> _CUBINET_HD constexpr _Ty *begin(_Ty (&__array)[_Size]) noexcept
{
    return __array;
}

template <class _Range> _CUBINET_HD constexpr auto end(_Range &__range) -> decltype(__range.end())
{
    return __range.end();
}
template <class _Range> _CUBINET_HD constexpr auto end(const _Range &__range) -> decltype(__range.end())
{
    return __range.end();
}
template <class _Ty, size_t _Size> _CUBINET_HD constexpr _Ty *end(_Ty (&__array)[_Size]) noexcept
{
    return __array + _Size;
}

template <class _Range>
_CUBINET_HD constexpr auto cbegin(const _Range &__range) -> decltype(std::begin(__range))
{
    return std::begin(__range);
}
template <class _Range> _CUBINET_HD constexpr auto cend(const _Range &__range) -> decltype(std::end(__range))
{
    return std::end(__range);
}

template <class _Range> _CUBINET_HD constexpr auto size(const _Range &__range) -> decltype(__range.size())
{
    return __range.size();
}
template <class _Ty, size_t _Size> _CUBINET_HD constexpr size_t size(const _Ty (&)[_Size]) noexcept
{
    return _Size;
}
template <class _Range>
_CUBINET_HD constexpr auto ssize(const _Range &__range) -> make_signed_t<decltype(__range.size())>
{
    return static_cast<make_signed_t<decltype(__range.size())>>(__range.size());
}
template <class _Ty, ptrdiff_t _Size> _CUBINET_HD constexpr ptrdiff_t ssize(const _Ty (&)[_Size]) noexcept
{
    return _Size;
}

template <class _Range> _CUBINET_HD constexpr auto empty(const _Range &__range) -> decltype(__range.empty())
{
    return __range.empty();
}
template <class _Ty, size_t _Size> _CUBINET_HD constexpr bool empty(const _Ty (&)[_Size]) noexcept
{
    return false;
}

template <class _Range> _CUBINET_HD constexpr auto data(_Range &__range) -> decltype(__range.data())
{
    return __range.data();
}
template <class _Range> _CUBINET_HD constexpr auto data(const _Range &__range) -> decltype(__range.data())
{
    return __range.data();
}
template <class _Ty, size_t _Size> _CUBINET_HD constexpr _Ty *data(_Ty (&__array)[_Size]) noexcept
{
    return __array;
}

// An initializer_list has no data() and empty() of its own.
#if __NV_BUILTIN_INITIALIZER_LIST
template <class _Ty> _CUBINET_HD constexpr const _Ty *data(initializer_list<_Ty> __list) noexcept
{
    return __list.begin();
}
template <class _Ty> _CUBINET_HD constexpr bool empty(initializer_list<_Ty> __list) noexcept
{
    return __list.size() == 0;
}
#endif

} // namespace std

#endif
