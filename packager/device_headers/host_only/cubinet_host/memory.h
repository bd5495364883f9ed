// SPDX-License-Identifier: Apache-2.0
// std::shared_ptr and its kin. std::unique_ptr is for device code, too.
#if !defined(CUBINET_HOST_MEMORY_H) && __cplusplus >= 201402L
#define CUBINET_HOST_MEMORY_H

#include "cubinet_host/config.h"

namespace std
{

template <class _Ty> class shared_ptr
{
    _CUBINET_HOST_ONLY(shared_ptr)
    using element_type = remove_extent_t<_Ty>;
    _CUBINET_HOST_MEMBER(element_type *, get)
    _CUBINET_HOST_MEMBER(long, use_count)
    _CUBINET_HOST_POINTER(element_type)
    _CUBINET_HOST_WORDS(2)
};
template <class _Ty> class weak_ptr
{
    _CUBINET_HOST_ONLY(weak_ptr)
    using element_type = remove_extent_t<_Ty>;
    _CUBINET_HOST_WORDS(2)
};
template <class _Ty> class enable_shared_from_this
{
    void *__words[2];
};
template <class _Ty = void> struct owner_less {
};

_CUBINET_HOST_TEMPLATE(allocate_shared)
_CUBINET_HOST_TEMPLATE(const_pointer_cast)
_CUBINET_HOST_TEMPLATE(dynamic_pointer_cast)
_CUBINET_HOST_TEMPLATE(get_deleter)
#ifdef CUBINET_HOST_MEMBERS
template <class _Ty, class... _Any> _CUBINET_HOST_USE shared_ptr<_Ty> make_shared(_Any &&...);
#else
_CUBINET_HOST_TEMPLATE(make_shared)
#endif
_CUBINET_HOST_TEMPLATE(reinterpret_pointer_cast)
_CUBINET_HOST_TEMPLATE(static_pointer_cast)

} // namespace std

#endif
