// SPDX-License-Identifier: Apache-2.0
// std::deque, list, forward_list, and what is made of them.
#if !defined(CUBINET_HOST_SEQUENCES_H) && __cplusplus >= 201402L
#define CUBINET_HOST_SEQUENCES_H

#include "cubinet_host/vector.h"

namespace std
{

template <class _Ty, class _Alloc = allocator<_Ty>> class deque
{
    _CUBINET_HOST_SEQUENCE(deque, _Ty, 4)
    using allocator_type = _Alloc;
    _CUBINET_HOST_WORDS_AND(10, _Alloc)
};

template <class _Ty, class _Alloc = allocator<_Ty>> class list
{
    _CUBINET_HOST_CONTAINER(list, _Ty, 1)
    using allocator_type = _Alloc;
    _CUBINET_HOST_WORDS_AND(3, _Alloc)
};

template <class _Ty, class _Alloc = allocator<_Ty>> class forward_list
{
    _CUBINET_HOST_CONTAINER(forward_list, _Ty, 1)
    using allocator_type = _Alloc;
    _CUBINET_HOST_WORDS_AND(1, _Alloc)
};

#define _CUBINET_HOST_ADAPTER(name, words)                                                                   \
    _CUBINET_HOST_ONLY(name)                                                                                 \
    using container_type = _Container;                                                                       \
    using value_type = typename _Container::value_type;                                                      \
    using size_type = typename _Container::size_type;                                                        \
    using reference = typename _Container::reference;                                                        \
    using const_reference = typename _Container::const_reference;                                            \
    _CUBINET_HOST_WORDS(sizeof(_Container) / 8 + (words))

template <class _Ty, class _Container = deque<_Ty>> class stack
{
    _CUBINET_HOST_ADAPTER(stack, 0)
};

template <class _Ty, class _Container = deque<_Ty>> class queue
{
    _CUBINET_HOST_ADAPTER(queue, 0)
};

template <class _Ty, class _Container = vector<_Ty>, class _Less = less<_Ty>> class priority_queue
{
    _CUBINET_HOST_ADAPTER(priority_queue, 1)
};

#undef _CUBINET_HOST_ADAPTER

} // namespace std

#endif
