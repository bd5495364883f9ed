// SPDX-License-Identifier: Apache-2.0
#ifndef CUBINET_STD_PAIR_H
#define CUBINET_STD_PAIR_H

#include "cubinet_std/relational.h"
#include "cubinet_std/sequence.h"
#include "cubinet_std/swap.h"
#include "cubinet_std/tuple_protocol.h"
#include <type_traits>

namespace std
{

struct piecewise_construct_t {
    explicit piecewise_construct_t() = default;
};
_CUBINET_INLINE_VARIABLE piecewise_construct_t piecewise_construct{};

template <class... _Ts> class tuple;

namespace __cubinet
{
// Whether the members can be made of two values, and whether without being asked to.
template <class _Ta, class _Fa, class _Tb, class _Fb>
struct __makes_pair : bool_constant<is_constructible<_Ta, _Fa>::value && is_constructible<_Tb, _Fb>::value> {
    static constexpr bool __implicit = is_convertible<_Fa, _Ta>::value && is_convertible<_Fb, _Tb>::value;
};
template <class _Ta, class _Fa, class _Tb, class _Fb, bool _Implicit>
using __if_makes_pair = enable_if_t<__makes_pair<_Ta, _Fa, _Tb, _Fb>::value &&
                                        __makes_pair<_Ta, _Fa, _Tb, _Fb>::__implicit == _Implicit,
                                    int>;
} // namespace __cubinet

template <class _Ta, class _Tb> struct pair {
    using first_type = _Ta;
    using second_type = _Tb;

    _Ta first;
    _Tb second;

    pair(const pair &) = default;
    pair(pair &&) = default;
    pair &operator=(const pair &) = default;
    pair &operator=(pair &&) = default;

    template <
        class _A = _Ta, class _B = _Tb,
        enable_if_t<is_default_constructible<_A>::value && is_default_constructible<_B>::value, int> = 0>
    _CUBINET_HD constexpr pair() : first(), second()
    {
    }

    template <class _A = _Ta, class _B = _Tb,
              __cubinet::__if_makes_pair<_A, const _A &, _B, const _B &, true> = 0>
    _CUBINET_HD constexpr pair(const _Ta &__a, const _Tb &__b) : first(__a), second(__b)
    {
    }
    template <class _A = _Ta, class _B = _Tb,
              __cubinet::__if_makes_pair<_A, const _A &, _B, const _B &, false> = 0>
    _CUBINET_HD explicit constexpr pair(const _Ta &__a, const _Tb &__b) : first(__a), second(__b)
    {
    }

    template <class _A, class _B, __cubinet::__if_makes_pair<_Ta, _A &&, _Tb, _B &&, true> = 0>
    _CUBINET_HD constexpr pair(_A &&__a, _B &&__b)
        : first(std::forward<_A>(__a)), second(std::forward<_B>(__b))
    {
    }
    template <class _A, class _B, __cubinet::__if_makes_pair<_Ta, _A &&, _Tb, _B &&, false> = 0>
    _CUBINET_HD explicit constexpr pair(_A &&__a, _B &&__b)
        : first(std::forward<_A>(__a)), second(std::forward<_B>(__b))
    {
    }

    template <class _A, class _B, __cubinet::__if_makes_pair<_Ta, const _A &, _Tb, const _B &, true> = 0>
    _CUBINET_HD constexpr pair(const pair<_A, _B> &__other) : first(__other.first), second(__other.second)
    {
    }
    template <class _A, class _B, __cubinet::__if_makes_pair<_Ta, const _A &, _Tb, const _B &, false> = 0>
    _CUBINET_HD explicit constexpr pair(const pair<_A, _B> &__other)
        : first(__other.first), second(__other.second)
    {
    }
    template <class _A, class _B, __cubinet::__if_makes_pair<_Ta, _A &&, _Tb, _B &&, true> = 0>
    _CUBINET_HD constexpr pair(pair<_A, _B> &&__other)
        : first(std::forward<_A>(__other.first)), second(std::forward<_B>(__other.second))
    {
    }
    template <class _A, class _B, __cubinet::__if_makes_pair<_Ta, _A &&, _Tb, _B &&, false> = 0>
    _CUBINET_HD explicit constexpr pair(pair<_A, _B> &&__other)
        : first(std::forward<_A>(__other.first)), second(std::forward<_B>(__other.second))
    {
    }

    template <class... _As, class... _Bs>
    _CUBINET_HD constexpr pair(piecewise_construct_t, tuple<_As...> __as, tuple<_Bs...> __bs)
        : pair(__as, __bs, index_sequence_for<_As...>(), index_sequence_for<_Bs...>())
    {
    }

    template <class _A, class _B,
              enable_if_t<is_assignable<_Ta &, const _A &>::value && is_assignable<_Tb &, const _B &>::value,
                          int> = 0>
    _CUBINET_HD constexpr pair &operator=(const pair<_A, _B> &__other)
    {
        first = __other.first;
        second = __other.second;
        return *this;
    }
    template <class _A, class _B,
              enable_if_t<is_assignable<_Ta &, _A &&>::value && is_assignable<_Tb &, _B &&>::value, int> = 0>
    _CUBINET_HD constexpr pair &operator=(pair<_A, _B> &&__other)
    {
        first = std::forward<_A>(__other.first);
        second = std::forward<_B>(__other.second);
        return *this;
    }

    _CUBINET_HD constexpr void swap(pair &__other)
    {
        using std::swap;
        swap(first, __other.first);
        swap(second, __other.second);
    }

  private:
    template <class... _As, class... _Bs, size_t... _Ia, size_t... _Ib>
    _CUBINET_HD constexpr pair(tuple<_As...> &__as, tuple<_Bs...> &__bs, index_sequence<_Ia...>,
                               index_sequence<_Ib...>); // in <tuple>
};

#if __cplusplus >= 201703L
template <class _Ta, class _Tb> pair(_Ta, _Tb) -> pair<_Ta, _Tb>;
#endif

template <class _Ta, class _Tb>
_CUBINET_HD constexpr pair<unwrap_ref_decay_t<_Ta>, unwrap_ref_decay_t<_Tb>> make_pair(_Ta &&__a, _Tb &&__b)
{
    return pair<unwrap_ref_decay_t<_Ta>, unwrap_ref_decay_t<_Tb>>(std::forward<_Ta>(__a),
                                                                  std::forward<_Tb>(__b));
}

template <class _Ta, class _Tb>
_CUBINET_HD constexpr bool operator==(const pair<_Ta, _Tb> &__a, const pair<_Ta, _Tb> &__b)
{
    return __a.first == __b.first && __a.second == __b.second;
}
template <class _Ta, class _Tb>
_CUBINET_HD constexpr bool operator<(const pair<_Ta, _Tb> &__a, const pair<_Ta, _Tb> &__b)
{
    return __a.first < __b.first || (!(__b.first < __a.first) && __a.second < __b.second);
}
_CUBINET_COMPARISONS((class _Ta, class _Tb), (pair<_Ta, _Tb>), (pair<_Ta, _Tb>))

template <class _Ta, class _Tb>
_CUBINET_HD constexpr enable_if_t<is_swappable<_Ta>::value && is_swappable<_Tb>::value>
swap(pair<_Ta, _Tb> &__a, pair<_Ta, _Tb> &__b)
{
    __a.swap(__b);
}

template <class _Ta, class _Tb> struct tuple_size<pair<_Ta, _Tb>> : integral_constant<size_t, 2> {
};
template <class _Ta, class _Tb> struct tuple_element<0, pair<_Ta, _Tb>> {
    using type = _Ta;
};
template <class _Ta, class _Tb> struct tuple_element<1, pair<_Ta, _Tb>> {
    using type = _Tb;
};
_CUBINET_TUPLE_CVS((class _Ta, class _Tb), (pair<_Ta, _Tb>))

namespace __cubinet
{
template <size_t _Index> struct __pair_get;
template <> struct __pair_get<0> {
    template <class _Pair>
    _CUBINET_HD static constexpr auto __member(_Pair &__pair) noexcept -> decltype((__pair.first))
    {
        return __pair.first;
    }
};
template <> struct __pair_get<1> {
    template <class _Pair>
    _CUBINET_HD static constexpr auto __member(_Pair &__pair) noexcept -> decltype((__pair.second))
    {
        return __pair.second;
    }
};
} // namespace __cubinet

template <size_t _Index, class _Ta, class _Tb>
_CUBINET_HD constexpr tuple_element_t<_Index, pair<_Ta, _Tb>> &get(pair<_Ta, _Tb> &__pair) noexcept
{
    return __cubinet::__pair_get<_Index>::__member(__pair);
}
template <size_t _Index, class _Ta, class _Tb>
_CUBINET_HD constexpr const tuple_element_t<_Index, pair<_Ta, _Tb>> &
get(const pair<_Ta, _Tb> &__pair) noexcept
{
    return __cubinet::__pair_get<_Index>::__member(__pair);
}
template <size_t _Index, class _Ta, class _Tb>
_CUBINET_HD constexpr tuple_element_t<_Index, pair<_Ta, _Tb>> &&get(pair<_Ta, _Tb> &&__pair) noexcept
{
    return static_cast<tuple_element_t<_Index, pair<_Ta, _Tb>> &&>(
        __cubinet::__pair_get<_Index>::__member(__pair));
}
template <size_t _Index, class _Ta, class _Tb>
_CUBINET_HD constexpr const tuple_element_t<_Index, pair<_Ta, _Tb>> &&
get(const pair<_Ta, _Tb> &&__pair) noexcept
{
    return static_cast<const tuple_element_t<_Index, pair<_Ta, _Tb>> &&>(
        __cubinet::__pair_get<_Index>::__member(__pair));
}
template <class _Ty, class _Other> _CUBINET_HD constexpr _Ty &get(pair<_Ty, _Other> &__pair) noexcept
{
    return __pair.first;
}
template <class _Ty, class _Other>
_CUBINET_HD constexpr const _Ty &get(const pair<_Ty, _Other> &__pair) noexcept
{
    return __pair.first;
}
template <class _Ty, class _Other> _CUBINET_HD constexpr _Ty &get(pair<_Other, _Ty> &__pair) noexcept
{
    return __pair.second;
}
template <class _Ty, class _Other>
_CUBINET_HD constexpr const _Ty &get(const pair<_Other, _Ty> &__pair) noexcept
{
    return __pair.second;
}

} // namespace std

#endif
