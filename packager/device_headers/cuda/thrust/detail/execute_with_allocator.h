// SPDX-License-Identifier: Apache-2.0
// Policies that take temporary memory from an allocator of the host's. Before CCCL 3 their header needs others that
// it leaves out for NVRTC: there, the declaration has to do.
#ifndef CUBINET_THRUST_EXECUTE_WITH_ALLOCATOR_H
#define CUBINET_THRUST_EXECUTE_WITH_ALLOCATOR_H

#include <thrust/detail/config.h>

#if THRUST_VERSION >= 300000
#include_next <thrust/detail/execute_with_allocator.h>
#else

#include <thrust/detail/execute_with_allocator_fwd.h>
#include <thrust/pair.h>

THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class T, class Allocator, template <class> class System>
__host__ __device__ thrust::pair<T *, std::ptrdiff_t> get_temporary_buffer(execute_with_allocator<Allocator, System> &,
                                                                           std::ptrdiff_t);
template <class Pointer, class Allocator, template <class> class System>
__host__ __device__ void return_temporary_buffer(execute_with_allocator<Allocator, System> &, Pointer, std::ptrdiff_t);

} // namespace detail
THRUST_NAMESPACE_END

#endif

#endif
