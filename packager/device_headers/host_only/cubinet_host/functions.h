// SPDX-License-Identifier: Apache-2.0
// How the host's functions and C's structures are declared. It includes nothing, for it is included before every source.
#ifndef CUBINET_HOST_FUNCTIONS_H
#define CUBINET_HOST_FUNCTIONS_H

#define _CUBINET_HD __host__ __device__

// Functions. The dots are what any function of the source's own is preferred to.
#define _CUBINET_HOST_FUNCTION(name) _CUBINET_HD void name(...) = delete;
// One of C's, which is in std, too.
#define _CUBINET_HOST_C_FUNCTION(name)                                                                       \
    _CUBINET_HOST_FUNCTION(name)                                                                             \
    namespace std                                                                                            \
    {                                                                                                        \
    using ::name;                                                                                            \
    }
#define _CUBINET_HOST_TEMPLATE(name) template <class... _Any> _CUBINET_HD void name(_Any &&...) = delete;

// A structure of C's whose members nobody here names.
#define _CUBINET_HOST_C_TYPE(name, type, count)                                                              \
    typedef struct {                                                                                         \
        type __words[count];                                                                                 \
    } name;

#endif
