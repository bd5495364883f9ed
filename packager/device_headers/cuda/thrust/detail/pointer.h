// SPDX-License-Identifier: Apache-2.0
// The toolkit's header of that name, which tells a host's library what an iterator a thrust::pointer is. Without one,
// libcu++ is what has to know it.
#ifndef CUBINET_THRUST_POINTER_H
#define CUBINET_THRUST_POINTER_H

#include_next <thrust/detail/pointer.h>

#if THRUST_VERSION >= 300000

namespace cuda
{
namespace std
{

template <class Element, class Tag, class Reference, class Derived>
struct iterator_traits<THRUST_NS_QUALIFIER::pointer<Element, Tag, Reference, Derived>> {
    using pointer = THRUST_NS_QUALIFIER::pointer<Element, Tag, Reference, Derived>;
    using iterator_category = typename pointer::iterator_category;
    using value_type = typename pointer::value_type;
    using difference_type = typename pointer::difference_type;
    using reference = typename pointer::reference;
};

} // namespace std
} // namespace cuda

#endif

#endif
