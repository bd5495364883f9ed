// SPDX-License-Identifier: Apache-2.0
// std::unordered_map, unordered_set, and their kin.
#if !defined(CUBINET_HOST_UNORDERED_H) && __cplusplus >= 201402L
#define CUBINET_HOST_UNORDERED_H

#include "cubinet_host/containers.h"

namespace std
{

#define _CUBINET_HOST_MAP(name)                                                                              \
    template <class _Key, class _Ty, class _Hash = hash<_Key>, class _Equal = equal_to<_Key>,                \
              class _Alloc = allocator<pair<const _Key, _Ty>>>                                               \
    class name                                                                                               \
    {                                                                                                        \
        using __pair = pair<const _Key, _Ty>;                                                                \
        _CUBINET_HOST_CONTAINER(name, __pair, 1)                                                             \
        using key_type = _Key;                                                                               \
        using mapped_type = _Ty;                                                                             \
        using hasher = _Hash;                                                                                \
        using key_equal = _Equal;                                                                            \
        using allocator_type = _Alloc;                                                                       \
        _CUBINET_HOST_WORDS_AND(7, _Alloc)                                                                   \
    };
_CUBINET_HOST_MAP(unordered_map)
_CUBINET_HOST_MAP(unordered_multimap)
#undef _CUBINET_HOST_MAP

#define _CUBINET_HOST_SET(name)                                                                              \
    template <class _Key, class _Hash = hash<_Key>, class _Equal = equal_to<_Key>, class _Alloc = allocator<_Key>> \
    class name                                                                                               \
    {                                                                                                        \
        _CUBINET_HOST_CONTAINER(name, _Key, 1)                                                               \
        using key_type = _Key;                                                                               \
        using hasher = _Hash;                                                                                \
        using key_equal = _Equal;                                                                            \
        using allocator_type = _Alloc;                                                                       \
        _CUBINET_HOST_WORDS_AND(7, _Alloc)                                                                   \
    };
_CUBINET_HOST_SET(unordered_set)
_CUBINET_HOST_SET(unordered_multiset)
#undef _CUBINET_HOST_SET

} // namespace std

#endif
