// SPDX-License-Identifier: Apache-2.0
// std::string_view, which can be used: it is a pointer and a size, and constants are made of it.
#if !defined(CUBINET_HOST_STRING_VIEW_H) && __cplusplus >= 201402L
#define CUBINET_HOST_STRING_VIEW_H

#include "cubinet_host/config.h"

namespace std
{

template <class _Char> struct char_traits;

template <class _Char, class _Traits = char_traits<_Char>> class basic_string_view
{
  public:
    using traits_type = _Traits;
    using value_type = _Char;
    using pointer = const _Char *;
    using const_pointer = const _Char *;
    using reference = const _Char &;
    using const_reference = const _Char &;
    using const_iterator = const _Char *;
    using iterator = const_iterator;
    using size_type = size_t;
    using difference_type = ptrdiff_t;
    static constexpr size_t npos = static_cast<size_t>(-1);

    _CUBINET_HD constexpr basic_string_view() noexcept : __size(0), __first(nullptr)
    {
    }
    _CUBINET_HD constexpr basic_string_view(const _Char *__text) : __size(0), __first(__text)
    {
        while (__text[__size]) {
            __size++;
        }
    }
    _CUBINET_HD constexpr basic_string_view(const _Char *__text, size_t __count) : __size(__count), __first(__text)
    {
    }

    _CUBINET_HD constexpr const _Char *data() const noexcept
    {
        return __first;
    }
    _CUBINET_HD constexpr size_t size() const noexcept
    {
        return __size;
    }
    _CUBINET_HD constexpr size_t length() const noexcept
    {
        return __size;
    }
    _CUBINET_HD constexpr bool empty() const noexcept
    {
        return __size == 0;
    }
    _CUBINET_HD constexpr const _Char *begin() const noexcept
    {
        return __first;
    }
    _CUBINET_HD constexpr const _Char *end() const noexcept
    {
        return __first + __size;
    }
    _CUBINET_HD constexpr const _Char &operator[](size_t __index) const
    {
        return __first[__index];
    }

  private:
    size_t __size;
    const _Char *__first;
};

using string_view = basic_string_view<char>;
using wstring_view = basic_string_view<wchar_t>;
using u16string_view = basic_string_view<char16_t>;
using u32string_view = basic_string_view<char32_t>;

} // namespace std

#endif
