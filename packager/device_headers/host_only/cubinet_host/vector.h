// SPDX-License-Identifier: Apache-2.0
// std::vector.
#if !defined(CUBINET_HOST_VECTOR_H) && __cplusplus >= 201402L
#define CUBINET_HOST_VECTOR_H

#include "cubinet_host/containers.h"

namespace std
{

template <class _Ty, class _Alloc = allocator<_Ty>> class vector
{
    _CUBINET_HOST_SEQUENCE(vector, _Ty, 1)
    using allocator_type = _Alloc;
    _CUBINET_HOST_WORDS_AND(3, _Alloc)
};

template <class _Alloc> class vector<bool, _Alloc>
{
    _CUBINET_HOST_CONTAINER(vector, bool, 2)
    using allocator_type = _Alloc;
    _CUBINET_HOST_WORDS_AND(5, _Alloc)
};

} // namespace std

#endif
