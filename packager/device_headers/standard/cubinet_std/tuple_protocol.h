// SPDX-License-Identifier: Apache-2.0
// tuple_size and tuple_element. libcu++ declares them in std as well, for structured bindings, with other
// parameters before CCCL 3.2 than since; these are the same.
#ifndef CUBINET_STD_TUPLE_PROTOCOL_H
#define CUBINET_STD_TUPLE_PROTOCOL_H

#include "cubinet_std/relational.h"
#include <type_traits>

#if __has_include(<cuda/std/__cccl/version.h>)
#include <cuda/std/__cccl/version.h>
#endif

namespace std
{

#if defined(CCCL_VERSION) && CCCL_VERSION >= 3002000
template <class _Ty> struct tuple_size;
template <size_t _Index, class _Ty> struct tuple_element;
#else
template <class... _Ts> struct tuple_size;
template <size_t _Index, class... _Ts> struct tuple_element;
#endif

template <class _Ty> _CUBINET_INLINE_VARIABLE size_t tuple_size_v = tuple_size<_Ty>::value;
template <size_t _Index, class _Ty> using tuple_element_t = typename tuple_element<_Index, _Ty>::type;

// Defines both for types of a template and their const and volatile kinds. There is no general form for
// these, because newer libcu++ has it.
#define _CUBINET_TUPLE_CV(parameters, cv, whole)                                                             \
    template <_CUBINET_UNWRAP parameters>                                                                    \
    struct tuple_size<cv _CUBINET_UNWRAP whole> : tuple_size<_CUBINET_UNWRAP whole> {                        \
    };                                                                                                       \
    template <size_t _Index, _CUBINET_UNWRAP parameters>                                                     \
    struct tuple_element<_Index, cv _CUBINET_UNWRAP whole> {                                                 \
        using type = cv tuple_element_t<_Index, _CUBINET_UNWRAP whole>;                                      \
    };
#define _CUBINET_TUPLE_CVS(parameters, whole)                                                                \
    _CUBINET_TUPLE_CV(parameters, const, whole)                                                              \
    _CUBINET_TUPLE_CV(parameters, volatile, whole)                                                           \
    _CUBINET_TUPLE_CV(parameters, const volatile, whole)

} // namespace std

#endif
