// SPDX-License-Identifier: Apache-2.0
// The names of streams, which are for host code. The toolkit's headers name them in functions that no device code calls.
#ifndef CUBINET_STD_STREAMS_FORWARD_H
#define CUBINET_STD_STREAMS_FORWARD_H

namespace std
{

template <class _Char> struct char_traits;
template <class _Char, class _Traits = char_traits<_Char>> class basic_istream;
template <class _Char, class _Traits = char_traits<_Char>> class basic_ostream;
using istream = basic_istream<char>;
using ostream = basic_ostream<char>;

} // namespace std

#endif
