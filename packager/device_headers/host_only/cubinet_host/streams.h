// SPDX-License-Identifier: Apache-2.0
// Streams, of all kinds.
#if !defined(CUBINET_HOST_STREAMS_H) && __cplusplus >= 201402L
#define CUBINET_HOST_STREAMS_H

#include "cubinet_host/string.h"
#include "cubinet_host/system_error.h"
#include "cubinet_std/relational.h"
#include "cubinet_std/streams_forward.h"

namespace std
{

namespace __cubinet_host
{
struct __made { // what std::cout and its like are made of
};
} // namespace __cubinet_host

_CUBINET_HOST_CLASS(locale, 1)
using streamoff = long;
using streamsize = long;
struct fpos_state {
    long __words[2];
};
using streampos = fpos_state;
using wstreampos = fpos_state;

class ios_base
{
    _CUBINET_HOST_ONLY(ios_base)
    enum fmtflags { boolalpha = 1, dec = 2, fixed = 4, hex = 8, left = 32, oct = 64, right = 128, scientific = 256,
                    showbase = 512, showpoint = 1024, showpos = 2048, skipws = 4096, unitbuf = 8192,
                    uppercase = 16384, adjustfield = 176, basefield = 74, floatfield = 260 };
    enum iostate { goodbit = 0, badbit = 1, eofbit = 2, failbit = 4 };
    enum openmode { app = 1, ate = 2, binary = 4, in = 8, out = 16, trunc = 32 };
    enum seekdir { beg = 0, cur = 1, end = 2 };
    class failure : public system_error
    {
      public:
        using system_error::system_error;
    };
    class Init
    {
    };
    _CUBINET_HOST_WORDS(27)

  public:
    _CUBINET_HD constexpr explicit ios_base(__cubinet_host::__made) : __words{}
    {
    }
};
_CUBINET_HD constexpr ios_base::openmode operator|(ios_base::openmode __a, ios_base::openmode __b)
{
    return static_cast<ios_base::openmode>(static_cast<int>(__a) | static_cast<int>(__b));
}
_CUBINET_HD constexpr ios_base::fmtflags operator|(ios_base::fmtflags __a, ios_base::fmtflags __b)
{
    return static_cast<ios_base::fmtflags>(static_cast<int>(__a) | static_cast<int>(__b));
}

// A stream is what it is derived from, and so many words.
#define _CUBINET_HOST_STREAM(parameters, name, base, words)                                                  \
    template <_CUBINET_UNWRAP parameters> class name : public _CUBINET_UNWRAP base                           \
    {                                                                                                        \
        _CUBINET_HOST_ONLY(name)                                                                             \
        using char_type = _Char;                                                                             \
        using traits_type = _Traits;                                                                         \
        using int_type = int;                                                                                \
        using pos_type = streampos;                                                                          \
        using off_type = streamoff;                                                                          \
        _CUBINET_HOST_WORDS(words)                                                                           \
                                                                                                             \
      public:                                                                                                \
        _CUBINET_HD constexpr explicit name(__cubinet_host::__made __way)                                    \
            : _CUBINET_UNWRAP base(__way), __words{}                                                         \
        {                                                                                                    \
        }                                                                                                    \
    };
#define _CUBINET_HOST_PLAIN (class _Char, class _Traits = char_traits<_Char>)
#define _CUBINET_HOST_TEXT  (class _Char, class _Traits = char_traits<_Char>, class _Alloc = allocator<_Char>)

_CUBINET_HOST_STREAM(_CUBINET_HOST_PLAIN, basic_ios, (ios_base), 6)
_CUBINET_HOST_STREAM((class _Char, class _Traits), basic_ostream, (basic_ios<_Char, _Traits>), 1)
_CUBINET_HOST_STREAM((class _Char, class _Traits), basic_istream, (basic_ios<_Char, _Traits>), 2)
_CUBINET_HOST_STREAM(_CUBINET_HOST_PLAIN, basic_iostream, (basic_istream<_Char, _Traits>), 1)
_CUBINET_HOST_STREAM(_CUBINET_HOST_PLAIN, basic_ofstream, (basic_ostream<_Char, _Traits>), 30)
_CUBINET_HOST_STREAM(_CUBINET_HOST_PLAIN, basic_ifstream, (basic_istream<_Char, _Traits>), 30)
_CUBINET_HOST_STREAM(_CUBINET_HOST_PLAIN, basic_fstream, (basic_iostream<_Char, _Traits>), 30)
_CUBINET_HOST_STREAM(_CUBINET_HOST_TEXT, basic_ostringstream, (basic_ostream<_Char, _Traits>), 13)
_CUBINET_HOST_STREAM(_CUBINET_HOST_TEXT, basic_istringstream, (basic_istream<_Char, _Traits>), 13)
_CUBINET_HOST_STREAM(_CUBINET_HOST_TEXT, basic_stringstream, (basic_iostream<_Char, _Traits>), 13)

#undef _CUBINET_HOST_STREAM

// What the source derives from these it makes itself.
#define _CUBINET_HOST_BUFFER(parameters, name, ...)                                                          \
    template <_CUBINET_UNWRAP parameters> class name                                                         \
    {                                                                                                        \
        _CUBINET_HOST_ONLY(name)                                                                             \
        using char_type = _Char;                                                                             \
        using traits_type = _Traits;                                                                         \
        using int_type = int;                                                                                \
        using pos_type = streampos;                                                                          \
        using off_type = streamoff;                                                                          \
        _CUBINET_HOST_WORDS(__VA_ARGS__)                                                                     \
    };
_CUBINET_HOST_BUFFER(_CUBINET_HOST_PLAIN, basic_streambuf, 8)
_CUBINET_HOST_BUFFER(_CUBINET_HOST_PLAIN, basic_filebuf, 30)
_CUBINET_HOST_BUFFER(_CUBINET_HOST_TEXT, basic_stringbuf, 13)

#undef _CUBINET_HOST_BUFFER
#undef _CUBINET_HOST_PLAIN
#undef _CUBINET_HOST_TEXT

#define _CUBINET_HOST_CHARS(name)                                                                            \
    using name = basic_##name<char>;                                                                         \
    using w##name = basic_##name<wchar_t>;
using wistream = basic_istream<wchar_t>;
using wostream = basic_ostream<wchar_t>;
_CUBINET_HOST_CHARS(ios)
_CUBINET_HOST_CHARS(iostream)
_CUBINET_HOST_CHARS(ofstream)
_CUBINET_HOST_CHARS(ifstream)
_CUBINET_HOST_CHARS(fstream)
_CUBINET_HOST_CHARS(ostringstream)
_CUBINET_HOST_CHARS(istringstream)
_CUBINET_HOST_CHARS(stringstream)
_CUBINET_HOST_CHARS(streambuf)
_CUBINET_HOST_CHARS(filebuf)
_CUBINET_HOST_CHARS(stringbuf)
#undef _CUBINET_HOST_CHARS

_CUBINET_INLINE_VARIABLE ostream cout{__cubinet_host::__made{}};
_CUBINET_INLINE_VARIABLE ostream cerr{__cubinet_host::__made{}};
_CUBINET_INLINE_VARIABLE ostream clog{__cubinet_host::__made{}};
_CUBINET_INLINE_VARIABLE istream cin{__cubinet_host::__made{}};
_CUBINET_INLINE_VARIABLE wostream wcout{__cubinet_host::__made{}};
_CUBINET_INLINE_VARIABLE wostream wcerr{__cubinet_host::__made{}};
_CUBINET_INLINE_VARIABLE wistream wcin{__cubinet_host::__made{}};

_CUBINET_HOST_FUNCTION(boolalpha)
_CUBINET_HOST_FUNCTION(dec)
_CUBINET_HOST_FUNCTION(defaultfloat)
_CUBINET_HOST_FUNCTION(endl)
_CUBINET_HOST_FUNCTION(ends)
_CUBINET_HOST_FUNCTION(fixed)
_CUBINET_HOST_FUNCTION(flush)
_CUBINET_HOST_FUNCTION(get_money)
_CUBINET_HOST_FUNCTION(get_time)
_CUBINET_HOST_FUNCTION(has_facet)
_CUBINET_HOST_FUNCTION(hex)
_CUBINET_HOST_FUNCTION(hexfloat)
_CUBINET_HOST_FUNCTION(internal)
_CUBINET_HOST_FUNCTION(left)
_CUBINET_HOST_FUNCTION(noboolalpha)
_CUBINET_HOST_FUNCTION(noshowbase)
_CUBINET_HOST_FUNCTION(noshowpoint)
_CUBINET_HOST_FUNCTION(noshowpos)
_CUBINET_HOST_FUNCTION(noskipws)
_CUBINET_HOST_FUNCTION(nounitbuf)
_CUBINET_HOST_FUNCTION(nouppercase)
_CUBINET_HOST_FUNCTION(oct)
_CUBINET_HOST_FUNCTION(put_money)
_CUBINET_HOST_FUNCTION(put_time)
_CUBINET_HOST_FUNCTION(quoted)
_CUBINET_HOST_FUNCTION(resetiosflags)
_CUBINET_HOST_FUNCTION(right)
_CUBINET_HOST_FUNCTION(scientific)
_CUBINET_HOST_FUNCTION(setbase)
_CUBINET_HOST_FUNCTION(setfill)
_CUBINET_HOST_FUNCTION(setiosflags)
_CUBINET_HOST_FUNCTION(setprecision)
_CUBINET_HOST_FUNCTION(setw)
_CUBINET_HOST_FUNCTION(showbase)
_CUBINET_HOST_FUNCTION(showpoint)
_CUBINET_HOST_FUNCTION(showpos)
_CUBINET_HOST_FUNCTION(skipws)
_CUBINET_HOST_FUNCTION(unitbuf)
_CUBINET_HOST_FUNCTION(uppercase)
_CUBINET_HOST_FUNCTION(use_facet)
_CUBINET_HOST_FUNCTION(ws)

template <class _Ty, class _Char = char, class _Traits = char_traits<_Char>> class ostream_iterator
{
    _CUBINET_HOST_ONLY(ostream_iterator)
    _CUBINET_HOST_WORDS(2)
};
template <class _Ty, class _Char = char, class _Traits = char_traits<_Char>, class _Distance = ptrdiff_t>
class istream_iterator
{
    _CUBINET_HOST_ONLY(istream_iterator)
    using value_type = _Ty;
    _CUBINET_HOST_WORDS(1 + (sizeof(_Ty) + 1 + 7) / 8)
};
template <class _Char, class _Traits = char_traits<_Char>> class istreambuf_iterator
{
    _CUBINET_HOST_ONLY(istreambuf_iterator)
    _CUBINET_HOST_WORDS(2)
};
template <class _Char, class _Traits = char_traits<_Char>> class ostreambuf_iterator
{
    _CUBINET_HOST_ONLY(ostreambuf_iterator)
    _CUBINET_HOST_WORDS(2)
};

} // namespace std

#endif
