// SPDX-License-Identifier: Apache-2.0
// std::allocator, which takes memory from malloc() of device code, and allocator_traits.
#ifndef CUBINET_STD_ALLOCATOR_H
#define CUBINET_STD_ALLOCATOR_H

#include "config.h"
#include "construct.h"
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace std
{

template <class _Ty> class allocator
{
  public:
    using value_type = _Ty;
    using size_type = size_t;
    using difference_type = ptrdiff_t;
    using propagate_on_container_move_assignment = true_type;
    using is_always_equal = true_type;

    _CUBINET_HD constexpr allocator() noexcept
    {
    }
    _CUBINET_HD constexpr allocator(const allocator &) noexcept
    {
    }
    template <class _Other> _CUBINET_HD constexpr allocator(const allocator<_Other> &) noexcept
    {
    }
    allocator &operator=(const allocator &) = default;

    [[nodiscard]] _CUBINET_HD _Ty *allocate(size_t __count)
    {
        return static_cast<_Ty *>(::operator new(__count * sizeof(_Ty)));
    }
    _CUBINET_HD void deallocate(_Ty *__first, size_t)
    {
        ::operator delete(__first);
    }
};

template <class _A, class _B>
_CUBINET_HD constexpr bool operator==(const allocator<_A> &, const allocator<_B> &) noexcept
{
    return true;
}
template <class _A, class _B>
_CUBINET_HD constexpr bool operator!=(const allocator<_A> &, const allocator<_B> &) noexcept
{
    return false;
}

// What an allocator says of itself, or else what follows from the rest.
template <class _Alloc, class = void> struct __allocator_pointer {
    using type = typename _Alloc::value_type *;
};
template <class _Alloc> struct __allocator_pointer<_Alloc, void_t<typename _Alloc::pointer>> {
    using type = typename _Alloc::pointer;
};
template <class _Alloc, class = void> struct __allocator_difference {
    using type = ptrdiff_t;
};
template <class _Alloc> struct __allocator_difference<_Alloc, void_t<typename _Alloc::difference_type>> {
    using type = typename _Alloc::difference_type;
};
template <class _Alloc, class = void> struct __allocator_size {
    using type = make_unsigned_t<typename __allocator_difference<_Alloc>::type>;
};
template <class _Alloc> struct __allocator_size<_Alloc, void_t<typename _Alloc::size_type>> {
    using type = typename _Alloc::size_type;
};
template <class _Alloc, class = void> struct __allocator_moves : false_type {
};
template <class _Alloc>
struct __allocator_moves<_Alloc, void_t<typename _Alloc::propagate_on_container_move_assignment>>
    : _Alloc::propagate_on_container_move_assignment {
};
template <class _Alloc, class = void> struct __allocator_equal : is_empty<_Alloc>::type {
};
template <class _Alloc>
struct __allocator_equal<_Alloc, void_t<typename _Alloc::is_always_equal>> : _Alloc::is_always_equal {
};
template <class _Alloc, class _Other> struct __allocator_rebind;
template <template <class, class...> class _Template, class _Ty, class... _Rest, class _Other>
struct __allocator_rebind<_Template<_Ty, _Rest...>, _Other> {
    using type = _Template<_Other, _Rest...>;
};

template <class _Alloc> struct allocator_traits {
    using allocator_type = _Alloc;
    using value_type = typename _Alloc::value_type;
    using pointer = typename __allocator_pointer<_Alloc>::type;
    using const_pointer = const value_type *;
    using void_pointer = void *;
    using const_void_pointer = const void *;
    using difference_type = typename __allocator_difference<_Alloc>::type;
    using size_type = typename __allocator_size<_Alloc>::type;
    using propagate_on_container_copy_assignment = false_type;
    using propagate_on_container_move_assignment = bool_constant<__allocator_moves<_Alloc>::value>;
    using propagate_on_container_swap = false_type;
    using is_always_equal = bool_constant<__allocator_equal<_Alloc>::value>;
    template <class _Other> using rebind_alloc = typename __allocator_rebind<_Alloc, _Other>::type;
    template <class _Other> using rebind_traits = allocator_traits<rebind_alloc<_Other>>;

    [[nodiscard]] _CUBINET_HD static pointer allocate(_Alloc &__from, size_type __count)
    {
        return __from.allocate(__count);
    }
    [[nodiscard]] _CUBINET_HD static pointer allocate(_Alloc &__from, size_type __count, const_void_pointer)
    {
        return __from.allocate(__count);
    }
    _CUBINET_HD static void deallocate(_Alloc &__from, pointer __first, size_type __count)
    {
        __from.deallocate(__first, __count);
    }
    template <class _Ty, class... _Args>
    _CUBINET_HD static void construct(_Alloc &, _Ty *__place, _Args &&...__args)
    {
        ::new (static_cast<void *>(__place)) _Ty(std::forward<_Args>(__args)...);
    }
    template <class _Ty> _CUBINET_HD static void destroy(_Alloc &, _Ty *__object)
    {
        __object->~_Ty();
    }
    _CUBINET_HD static constexpr size_type max_size(const _Alloc &) noexcept
    {
        return static_cast<size_type>(-1) / sizeof(value_type);
    }
    _CUBINET_HD static _Alloc select_on_container_copy_construction(const _Alloc &__from)
    {
        return __from;
    }
};

} // namespace std

#endif
