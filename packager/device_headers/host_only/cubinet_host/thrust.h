// SPDX-License-Identifier: Apache-2.0
// Thrust's containers and allocators, and asynchronous algorithms. Pointers and algorithms are the toolkit's.
#if !defined(CUBINET_HOST_THRUST_H) && __cplusplus >= 201402L
#define CUBINET_HOST_THRUST_H

#include "cubinet_host/system_error.h"
#include "cubinet_host/vector.h"

#if __has_include(<thrust/device_ptr.h>)
#include <thrust/device_ptr.h>
#include <thrust/device_reference.h>
#include <thrust/functional.h>
#include <thrust/pair.h>
#else
#define THRUST_NAMESPACE_BEGIN                                                                               \
    namespace thrust                                                                                         \
    {
#define THRUST_NAMESPACE_END }
#endif

THRUST_NAMESPACE_BEGIN


template <class _Ty> class device_allocator
{
  public:
    using value_type = _Ty;
};
template <class _Ty> class device_malloc_allocator : public device_allocator<_Ty>
{
};
template <class _Ty> class device_new_allocator : public device_allocator<_Ty>
{
};
template <class _Ty> class universal_allocator : public device_allocator<_Ty>
{
};

template <class _Ty> using __host_pointer = _Ty *;
#if !__has_include(<thrust/device_ptr.h>)
template <class _Ty> using device_ptr = _Ty *;
#endif

// A vector has an allocator, which takes no room, a pointer and two sizes.
#define _CUBINET_HOST_VECTOR(name, allocator, pointer_type)                                                  \
    template <class _Ty, class _Alloc = allocator<_Ty>> class name                                           \
    {                                                                                                        \
        _CUBINET_HOST_CONTAINER(name, _Ty, 1)                                                                \
        using allocator_type = _Alloc;                                                                       \
        _CUBINET_HOST_MEMBER(pointer_type<_Ty>, data)                                                        \
        _CUBINET_HOST_POINTER(_Ty)                                                                           \
        _CUBINET_HOST_WORDS(4)                                                                               \
    };
_CUBINET_HOST_VECTOR(host_vector, ::std::allocator, __host_pointer)
_CUBINET_HOST_VECTOR(device_vector, device_allocator, device_ptr)
_CUBINET_HOST_VECTOR(universal_vector, universal_allocator, __host_pointer)
#undef _CUBINET_HOST_VECTOR

class event;
class device_event;
template <class _Ty> class device_future;
class unique_eager_event;

namespace system
{
using error_code = ::std::error_code;
using system_error = ::std::system_error;
} // namespace system
using system::error_code;
using system::system_error;

_CUBINET_HOST_TEMPLATE(allocate_unique)
_CUBINET_HOST_TEMPLATE(device_delete)
_CUBINET_HOST_TEMPLATE(device_free)
_CUBINET_HOST_TEMPLATE(device_malloc)
_CUBINET_HOST_TEMPLATE(device_new)
_CUBINET_HOST_TEMPLATE(make_unique)
namespace async
{
_CUBINET_HOST_TEMPLATE(copy)
_CUBINET_HOST_TEMPLATE(for_each)
_CUBINET_HOST_TEMPLATE(reduce)
_CUBINET_HOST_TEMPLATE(inclusive_scan)
_CUBINET_HOST_TEMPLATE(exclusive_scan)
_CUBINET_HOST_TEMPLATE(sort)
_CUBINET_HOST_TEMPLATE(stable_sort)
_CUBINET_HOST_TEMPLATE(transform)
} // namespace async

THRUST_NAMESPACE_END

#endif
