// SPDX-License-Identifier: Apache-2.0
// std::any, bitset, valarray, type_index. std::type_info is NVRTC's own.
#if !defined(CUBINET_HOST_VARIOUS_H) && __cplusplus >= 201402L
#define CUBINET_HOST_VARIOUS_H

#include "cubinet_host/string.h"

namespace std
{

_CUBINET_HOST_CLASS(type_index, 1)
_CUBINET_HOST_CLASS(any, 2)
class bad_any_cast
{
};
_CUBINET_HOST_TEMPLATE(any_cast)
_CUBINET_HOST_TEMPLATE(make_any)

template <size_t _Bits> class bitset
{
    _CUBINET_HOST_ONLY(bitset)
    class reference;
    _CUBINET_HOST_WORDS((_Bits + 63) / 64 + (_Bits == 0))
};

template <class _Ty> class valarray
{
    _CUBINET_HOST_ONLY(valarray)
    using value_type = _Ty;
    _CUBINET_HOST_WORDS(2)
};
_CUBINET_HOST_CLASS(slice, 3)
_CUBINET_HOST_CLASS(gslice, 1)

} // namespace std

#endif
