// SPDX-License-Identifier: Apache-2.0
// Regular expressions.
#if !defined(CUBINET_HOST_REGEX_H) && __cplusplus >= 201402L
#define CUBINET_HOST_REGEX_H

#include "cubinet_host/exceptions.h"
#include "cubinet_host/string.h"
#include "cubinet_host/vector.h"

namespace std
{

template <class _Char> struct regex_traits {
};
template <class _Char, class _Traits = regex_traits<_Char>> _CUBINET_HOST_CLASS(basic_regex, 4)
template <class _Iterator> _CUBINET_HOST_CLASS(sub_match, 3)
template <class _Iterator> _CUBINET_HOST_CLASS(match_results, 4)
template <class _Iterator, class _Char = char, class _Traits = regex_traits<_Char>>
_CUBINET_HOST_CLASS(regex_iterator, 8)
template <class _Iterator, class _Char = char, class _Traits = regex_traits<_Char>>
_CUBINET_HOST_CLASS(regex_token_iterator, 17)
using regex = basic_regex<char>;
using cmatch = match_results<const char *>;
using smatch = match_results<string::const_iterator>;
using sregex_iterator = regex_iterator<string::const_iterator>;
using cregex_iterator = regex_iterator<const char *>;
using cregex_token_iterator = regex_token_iterator<const char *>;
using sregex_token_iterator = regex_token_iterator<string::const_iterator>;
class regex_error : public runtime_error
{
};

_CUBINET_HOST_FUNCTION(regex_match)
_CUBINET_HOST_FUNCTION(regex_replace)
_CUBINET_HOST_FUNCTION(regex_search)

} // namespace std

#endif
