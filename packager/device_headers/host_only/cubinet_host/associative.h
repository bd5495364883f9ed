// SPDX-License-Identifier: Apache-2.0
// std::map, set, and their kin.
#if !defined(CUBINET_HOST_ASSOCIATIVE_H) && __cplusplus >= 201402L
#define CUBINET_HOST_ASSOCIATIVE_H

#include "cubinet_host/containers.h"

namespace std
{

#define _CUBINET_HOST_MAP(name)                                                                              \
    template <class _Key, class _Ty, class _Less = less<_Key>, class _Alloc = allocator<pair<const _Key, _Ty>>> \
    class name                                                                                               \
    {                                                                                                        \
        using __pair = pair<const _Key, _Ty>;                                                                \
        _CUBINET_HOST_CONTAINER(name, __pair, 1)                                                             \
        using key_type = _Key;                                                                               \
        using mapped_type = _Ty;                                                                             \
        using key_compare = _Less;                                                                           \
        using allocator_type = _Alloc;                                                                       \
        _CUBINET_HOST_WORDS_AND(6, _Alloc)                                                                   \
    };
_CUBINET_HOST_MAP(map)
_CUBINET_HOST_MAP(multimap)
#undef _CUBINET_HOST_MAP

#define _CUBINET_HOST_SET(name)                                                                              \
    template <class _Key, class _Less = less<_Key>, class _Alloc = allocator<_Key>> class name               \
    {                                                                                                        \
        _CUBINET_HOST_CONTAINER(name, _Key, 1)                                                               \
        using key_type = _Key;                                                                               \
        using key_compare = _Less;                                                                           \
        using value_compare = _Less;                                                                         \
        using allocator_type = _Alloc;                                                                       \
        _CUBINET_HOST_WORDS_AND(6, _Alloc)                                                                   \
    };
_CUBINET_HOST_SET(set)
_CUBINET_HOST_SET(multiset)
#undef _CUBINET_HOST_SET

} // namespace std

#endif
