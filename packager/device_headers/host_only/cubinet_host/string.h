// SPDX-License-Identifier: Apache-2.0
// std::string and its kin, and the conversions.
#if !defined(CUBINET_HOST_STRING_H) && __cplusplus >= 201402L
#define CUBINET_HOST_STRING_H

#include "cubinet_host/containers.h"
#include "cubinet_host/string_view.h"
#include "cubinet_std/streams_forward.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace std
{

template <class _Char> struct char_traits {
    using char_type = _Char;
    using int_type = int;
};

template <class _Char, class _Traits = char_traits<_Char>, class _Alloc = allocator<_Char>> class basic_string
{
    _CUBINET_HOST_SEQUENCE(basic_string, _Char, 1)
    _CUBINET_HOST_MEMBER(const _Char *, c_str)
    _CUBINET_HOST_MEMBER(size_t, length)
    _CUBINET_HOST_MEMBER(basic_string, substr)
    _CUBINET_HOST_MEMBER(int, compare)
    using traits_type = _Traits;
    using allocator_type = _Alloc;
    static constexpr size_t npos = static_cast<size_t>(-1);
    _CUBINET_HOST_WORDS_AND(4, _Alloc)
};

using string = basic_string<char>;
using wstring = basic_string<wchar_t>;
using u16string = basic_string<char16_t>;
using u32string = basic_string<char32_t>;

_CUBINET_HOST_FUNCTION(getline)
_CUBINET_HOST_FUNCTION(stod)
_CUBINET_HOST_FUNCTION(stof)
_CUBINET_HOST_FUNCTION(stoi)
_CUBINET_HOST_FUNCTION(stol)
_CUBINET_HOST_FUNCTION(stold)
_CUBINET_HOST_FUNCTION(stoll)
_CUBINET_HOST_FUNCTION(stoul)
_CUBINET_HOST_FUNCTION(stoull)
_CUBINET_HOST_FUNCTION(to_string)
_CUBINET_HOST_FUNCTION(to_wstring)

inline namespace literals
{
inline namespace string_literals
{
} // namespace string_literals
} // namespace literals

} // namespace std

#endif
