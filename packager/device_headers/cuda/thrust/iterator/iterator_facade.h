// SPDX-License-Identifier: Apache-2.0
// The toolkit's header of that name. Iterators have a friend from it, thrust::iterator_core_access, which NVRTC does not find
// in the namespace that is in Thrust's.
#ifndef CUBINET_THRUST_ITERATOR_FACADE_H
#define CUBINET_THRUST_ITERATOR_FACADE_H

#include_next <thrust/iterator/iterator_facade.h>

#ifdef CUBINET_THRUST_ABI
#define iterator_core_access CUBINET_THRUST_ABI::iterator_core_access
#endif

#endif
