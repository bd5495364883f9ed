// SPDX-License-Identifier: Apache-2.0
// Iterators that append to containers.
#if !defined(CUBINET_HOST_INSERTERS_H) && __cplusplus >= 201402L
#define CUBINET_HOST_INSERTERS_H

#include "cubinet_host/config.h"

namespace std
{

#define _CUBINET_HOST_INSERTER(name, words)                                                                  \
    template <class _Container> class name                                                                   \
    {                                                                                                        \
        _CUBINET_HOST_ONLY(name)                                                                             \
        using container_type = _Container;                                                                   \
        _CUBINET_HOST_WORDS(words)                                                                           \
    };
_CUBINET_HOST_INSERTER(back_insert_iterator, 1)
_CUBINET_HOST_INSERTER(front_insert_iterator, 1)
_CUBINET_HOST_INSERTER(insert_iterator, 2)
#undef _CUBINET_HOST_INSERTER

_CUBINET_HOST_TEMPLATE(back_inserter)
_CUBINET_HOST_TEMPLATE(front_inserter)
_CUBINET_HOST_TEMPLATE(inserter)

} // namespace std

#endif
