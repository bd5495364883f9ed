// SPDX-License-Identifier: Apache-2.0
// The toolkit's file of that name, which throws where there is no memory. To make the exception is enough here: that
// ends the grid (thrust/system/detail/bad_alloc.h).
#ifndef CUBINET_THRUST_TEMPORARY_ALLOCATOR_INL
#define CUBINET_THRUST_TEMPORARY_ALLOCATOR_INL

#include <thrust/system/detail/bad_alloc.h>

#define throw
#include_next <thrust/detail/allocator/temporary_allocator.inl>
#undef throw

#endif
