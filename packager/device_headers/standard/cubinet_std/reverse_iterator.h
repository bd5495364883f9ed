// SPDX-License-Identifier: Apache-2.0
// Iterator tags, iterator_traits and reverse_iterator.
#ifndef CUBINET_STD_REVERSE_ITERATOR_H
#define CUBINET_STD_REVERSE_ITERATOR_H

#include "cubinet_std/addressof.h"
#include "cubinet_std/relational.h"
#include <type_traits>

namespace std
{

struct input_iterator_tag {
};
struct output_iterator_tag {
};
struct forward_iterator_tag : input_iterator_tag {
};
struct bidirectional_iterator_tag : forward_iterator_tag {
};
struct random_access_iterator_tag : bidirectional_iterator_tag {
};
#if __cplusplus >= 202002L
struct contiguous_iterator_tag : random_access_iterator_tag {
};
#endif

namespace __cubinet
{
template <class _Iterator, class = void> struct __iterator_traits {
};
template <class _Iterator>
struct __iterator_traits<
    _Iterator,
    void_t<typename _Iterator::iterator_category, typename _Iterator::value_type,
           typename _Iterator::difference_type, typename _Iterator::pointer, typename _Iterator::reference>> {
    using iterator_category = typename _Iterator::iterator_category;
    using value_type = typename _Iterator::value_type;
    using difference_type = typename _Iterator::difference_type;
    using pointer = typename _Iterator::pointer;
    using reference = typename _Iterator::reference;
};
} // namespace __cubinet

template <class _Iterator> struct iterator_traits : __cubinet::__iterator_traits<_Iterator> {
};
template <class _Ty> struct iterator_traits<_Ty *> {
    using iterator_category = random_access_iterator_tag;
#if __cplusplus >= 202002L
    using iterator_concept = contiguous_iterator_tag;
#endif
    using value_type = remove_cv_t<_Ty>;
    using difference_type = ptrdiff_t;
    using pointer = _Ty *;
    using reference = _Ty &;
};

template <class _Category, class _Ty, class _Difference = ptrdiff_t, class _Pointer = _Ty *,
          class _Reference = _Ty &>
struct iterator {
    using iterator_category = _Category;
    using value_type = _Ty;
    using difference_type = _Difference;
    using pointer = _Pointer;
    using reference = _Reference;
};

template <class _Iterator> class reverse_iterator
{
  public:
    using iterator_type = _Iterator;
    using iterator_category = typename iterator_traits<_Iterator>::iterator_category;
    using value_type = typename iterator_traits<_Iterator>::value_type;
    using difference_type = typename iterator_traits<_Iterator>::difference_type;
    using pointer = typename iterator_traits<_Iterator>::pointer;
    using reference = typename iterator_traits<_Iterator>::reference;

    _CUBINET_HD constexpr reverse_iterator() : current()
    {
    }
    _CUBINET_HD explicit constexpr reverse_iterator(_Iterator __base) : current(__base)
    {
    }
    template <class _Other, enable_if_t<is_convertible<const _Other &, _Iterator>::value, int> = 0>
    _CUBINET_HD constexpr reverse_iterator(const reverse_iterator<_Other> &__other) : current(__other.base())
    {
    }

    _CUBINET_HD constexpr _Iterator base() const
    {
        return current;
    }
    _CUBINET_HD constexpr reference operator*() const
    {
        _Iterator __before = current;
        return *--__before;
    }
    _CUBINET_HD constexpr pointer operator->() const
    {
        return std::addressof(operator*());
    }
    _CUBINET_HD constexpr reference operator[](difference_type __n) const
    {
        return *(*this + __n);
    }
    _CUBINET_HD constexpr reverse_iterator &operator++()
    {
        --current;
        return *this;
    }
    _CUBINET_HD constexpr reverse_iterator operator++(int)
    {
        reverse_iterator __old = *this;
        --current;
        return __old;
    }
    _CUBINET_HD constexpr reverse_iterator &operator--()
    {
        ++current;
        return *this;
    }
    _CUBINET_HD constexpr reverse_iterator operator--(int)
    {
        reverse_iterator __old = *this;
        ++current;
        return __old;
    }
    _CUBINET_HD constexpr reverse_iterator &operator+=(difference_type __n)
    {
        current -= __n;
        return *this;
    }
    _CUBINET_HD constexpr reverse_iterator &operator-=(difference_type __n)
    {
        current += __n;
        return *this;
    }
    _CUBINET_HD constexpr reverse_iterator operator+(difference_type __n) const
    {
        return reverse_iterator(current - __n);
    }
    _CUBINET_HD constexpr reverse_iterator operator-(difference_type __n) const
    {
        return reverse_iterator(current + __n);
    }

  protected:
    _Iterator current;
};

template <class _Ta, class _Tb>
_CUBINET_HD constexpr bool operator==(const reverse_iterator<_Ta> &__a, const reverse_iterator<_Tb> &__b)
{
    return __a.base() == __b.base();
}
template <class _Ta, class _Tb>
_CUBINET_HD constexpr bool operator<(const reverse_iterator<_Ta> &__a, const reverse_iterator<_Tb> &__b)
{
    return __b.base() < __a.base();
}
_CUBINET_COMPARISONS((class _Ta, class _Tb), (reverse_iterator<_Ta>), (reverse_iterator<_Tb>))

template <class _Ta, class _Tb>
_CUBINET_HD constexpr auto operator-(const reverse_iterator<_Ta> &__a, const reverse_iterator<_Tb> &__b)
    -> decltype(__b.base() - __a.base())
{
    return __b.base() - __a.base();
}
template <class _Iterator>
_CUBINET_HD constexpr reverse_iterator<_Iterator>
operator+(typename reverse_iterator<_Iterator>::difference_type __n,
          const reverse_iterator<_Iterator> &__iterator)
{
    return __iterator + __n;
}
template <class _Iterator>
_CUBINET_HD constexpr reverse_iterator<_Iterator> make_reverse_iterator(_Iterator __iterator)
{
    return reverse_iterator<_Iterator>(__iterator);
}

} // namespace std

#endif
