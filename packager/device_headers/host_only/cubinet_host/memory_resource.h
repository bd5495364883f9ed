// SPDX-License-Identifier: Apache-2.0
// Memory that containers take from somewhere.
#if !defined(CUBINET_HOST_MEMORY_RESOURCE_H) && __cplusplus >= 201402L
#define CUBINET_HOST_MEMORY_RESOURCE_H

#include "cubinet_host/containers.h"

namespace std
{
namespace pmr
{

class memory_resource
{
    void *__table;
};
_CUBINET_HOST_CLASS(monotonic_buffer_resource, 8)
_CUBINET_HOST_CLASS(unsynchronized_pool_resource, 9)
_CUBINET_HOST_CLASS(synchronized_pool_resource, 15)
template <class _Ty = unsigned char> class polymorphic_allocator
{
    _CUBINET_HOST_ONLY(polymorphic_allocator)
    using value_type = _Ty;
    _CUBINET_HOST_WORDS(1)
};
_CUBINET_HOST_FUNCTION(get_default_resource)
_CUBINET_HOST_FUNCTION(new_delete_resource)

} // namespace pmr
} // namespace std

#endif
