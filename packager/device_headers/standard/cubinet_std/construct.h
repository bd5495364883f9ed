// SPDX-License-Identifier: Apache-2.0
// construct_at(), which C++20 lets constants use. libcu++ defines it in std, too, unless this macro is there.
#ifndef CUBINET_STD_CONSTRUCT_H
#define CUBINET_STD_CONSTRUCT_H

#include "cubinet_std/swap.h"

namespace std
{

namespace __cubinet
{
template <class _Ty, class... _Args> _CUBINET_HD _Ty *__construct(_Ty *__place, _Args &&...__args)
{
    return ::new (const_cast<void *>(static_cast<const volatile void *>(__place)))
        _Ty(std::forward<_Args>(__args)...);
}
} // namespace __cubinet

#if __cplusplus >= 202002L && !defined(_LIBCUDACXX___MEMORY_CONSTRUCT_AT_H) && \
    !defined(_CUDA_STD___MEMORY_CONSTRUCT_AT_H)
template <class _Ty, class... _Args,
          class = decltype(::new (std::declval<void *>()) _Ty(std::declval<_Args>()...))>
_CUBINET_HD constexpr _Ty *construct_at(_Ty *__place, _Args &&...__args)
{
    return ::new (const_cast<void *>(static_cast<const volatile void *>(__place)))
        _Ty(std::forward<_Args>(__args)...);
}
#define __cpp_lib_constexpr_dynamic_alloc 201907L
#endif

} // namespace std

#endif
