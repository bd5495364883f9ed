// SPDX-License-Identifier: Apache-2.0
// What the headers for host code share.
//
// Device code and host code are in the same files, and what is left of the host's in them are types: of members, of base
// classes, in aliases. So the host's types are declared, with the sizes of libstdc++ and glibc on 64-bit Linux, and with
// the types that are named through them. None of them can be made, copied or asked for anything: device code that does
// is an error in its line.
#ifndef CUBINET_HOST_CONFIG_H
#define CUBINET_HOST_CONFIG_H

#include "cubinet_host/functions.h"
#include "cubinet_std/config.h"
#include <type_traits>

// Within a class: how it is made. The class is public afterwards. Of host code that launches kernels the uses of them are
// compiled, and these make and ask the host's types: then they have members, which are declared alone. A use of one is a
// warning with this text, of which the command makes an error where it is in device code.
#ifdef CUBINET_HOST_MEMBERS
#define _CUBINET_HOST_USE [[deprecated("the host's type")]] _CUBINET_HD
#define _CUBINET_HOST_ONLY(name)                                                                             \
  public:                                                                                                    \
    _CUBINET_HOST_USE name();                                                                                \
    _CUBINET_HOST_USE name(const name &);                                                                    \
    template <class... _Any> _CUBINET_HOST_USE name(_Any &&...);                                             \
    _CUBINET_HOST_USE name &operator=(const name &);                                                         \
    template <class _Any> _CUBINET_HOST_USE name &operator=(_Any &&);
#define _CUBINET_HOST_MEMBER(type, name) template <class... _Any> _CUBINET_HOST_USE type name(_Any &&...) const;
#else
#define _CUBINET_HOST_ONLY(name)                                                                             \
  public:                                                                                                    \
    _CUBINET_HD name() = delete;                                                                             \
    _CUBINET_HD name(const name &) = delete;                                                                 \
    _CUBINET_HD name &operator=(const name &) = delete;
#define _CUBINET_HOST_MEMBER(type, name)
#endif

// Within a class that is like a pointer to `type`.
#ifdef CUBINET_HOST_MEMBERS
#define _CUBINET_HOST_POINTER(type)                                                                          \
    _CUBINET_HOST_USE ::std::add_lvalue_reference_t<type> operator*() const;                                                               \
    _CUBINET_HOST_USE type *operator->() const;                                                              \
    _CUBINET_HOST_USE ::std::add_lvalue_reference_t<type> operator[](size_t) const;
#else
#define _CUBINET_HOST_POINTER(type)
#endif

// Within a class, at its end: as many words as the host has in it.
#define _CUBINET_HOST_WORDS(count)                                                                           \
  private:                                                                                                   \
    void *__words[count];

// The same for one that ends in an allocator.
#define _CUBINET_HOST_WORDS_AND(count, allocator)                                                            \
  private:                                                                                                   \
    void *__words[(count) + (::std::is_empty<allocator>::value ? 0 : (sizeof(allocator) + 7) / 8)];

// A class that has a name and a size, and of which no more is named.
#define _CUBINET_HOST_CLASS(name, words)                                                                     \
    class name                                                                                               \
    {                                                                                                        \
        _CUBINET_HOST_ONLY(name)                                                                             \
        _CUBINET_HOST_WORDS(words)                                                                           \
    };

namespace std
{
namespace __cubinet_host
{

// An iterator that points to `_Ty` and takes so many words.
template <class _Ty, size_t _Words, class _Container> class __iterator
{
    _CUBINET_HOST_ONLY(__iterator)
    using value_type = remove_const_t<_Ty>;
    using difference_type = ptrdiff_t;
    using pointer = _Ty *;
    using reference = _Ty &;
    using iterator_category = struct random_access_iterator_tag;
    _CUBINET_HOST_POINTER(_Ty)
#ifdef CUBINET_HOST_MEMBERS
    _CUBINET_HOST_USE __iterator &operator++();
    _CUBINET_HOST_USE __iterator operator++(int);
    _CUBINET_HOST_USE __iterator &operator--();
    _CUBINET_HOST_USE __iterator operator--(int);
    _CUBINET_HOST_USE __iterator &operator+=(difference_type);
    _CUBINET_HOST_USE __iterator &operator-=(difference_type);
    _CUBINET_HOST_USE __iterator operator+(difference_type) const;
    _CUBINET_HOST_USE __iterator operator-(difference_type) const;
    _CUBINET_HOST_USE difference_type operator-(const __iterator &) const;
    template <class _Any> _CUBINET_HOST_USE bool operator==(const _Any &) const;
    template <class _Any> _CUBINET_HOST_USE bool operator!=(const _Any &) const;
    template <class _Any> _CUBINET_HOST_USE bool operator<(const _Any &) const;
#endif
    _CUBINET_HOST_WORDS(_Words)
};

} // namespace __cubinet_host
} // namespace std

// Within a class: the types of a container of `type`, with iterators of so many words, and what all of them can be asked.
#define _CUBINET_HOST_CONTAINER(name, type, words)                                                           \
    _CUBINET_HOST_ONLY(name)                                                                                 \
    using value_type = type;                                                                                 \
    using size_type = size_t;                                                                                \
    using difference_type = ptrdiff_t;                                                                       \
    using reference = type &;                                                                                \
    using const_reference = const type &;                                                                    \
    using pointer = type *;                                                                                  \
    using const_pointer = const type *;                                                                      \
    using iterator = ::std::__cubinet_host::__iterator<type, words, name>;                                          \
    using const_iterator = ::std::__cubinet_host::__iterator<const type, words, name>;                              \
    using reverse_iterator = ::std::__cubinet_host::__iterator<type, words, iterator>;                              \
    using const_reverse_iterator = ::std::__cubinet_host::__iterator<const type, words, iterator>;                  \
    _CUBINET_HOST_MEMBER(bool, empty)                                                                        \
    _CUBINET_HOST_MEMBER(size_type, size)                                                                    \
    _CUBINET_HOST_MEMBER(size_type, max_size)                                                                \
    _CUBINET_HOST_MEMBER(iterator, begin)                                                                    \
    _CUBINET_HOST_MEMBER(iterator, end)                                                                      \
    _CUBINET_HOST_MEMBER(const_iterator, cbegin)                                                             \
    _CUBINET_HOST_MEMBER(const_iterator, cend)                                                               \
    _CUBINET_HOST_MEMBER(reverse_iterator, rbegin)                                                           \
    _CUBINET_HOST_MEMBER(reverse_iterator, rend)                                                             \
    _CUBINET_HOST_MEMBER(iterator, insert)                                                                   \
    _CUBINET_HOST_MEMBER(iterator, erase)                                                                    \
    _CUBINET_HOST_MEMBER(iterator, find)                                                                     \
    _CUBINET_HOST_MEMBER(size_type, count)                                                                   \
    _CUBINET_HOST_MEMBER(void, clear)                                                                        \
    _CUBINET_HOST_MEMBER(void, swap)                                                                         \
    _CUBINET_HOST_MEMBER(void, assign)                                                                       \
    _CUBINET_HOST_MEMBER(void, resize)                                                                       \
    _CUBINET_HOST_MEMBER(void, reserve)                                                                      \
    _CUBINET_HOST_MEMBER(void, push_back)                                                                    \
    _CUBINET_HOST_MEMBER(void, pop_back)                                                                     \
    _CUBINET_HOST_MEMBER(reference, emplace_back)

// The same for one whose elements are counted.
#define _CUBINET_HOST_SEQUENCE(name, type, words)                                                            \
    _CUBINET_HOST_CONTAINER(name, type, words)                                                               \
    _CUBINET_HOST_MEMBER(reference, at)                                                                      \
    _CUBINET_HOST_MEMBER(reference, front)                                                                   \
    _CUBINET_HOST_MEMBER(reference, back)                                                                    \
    _CUBINET_HOST_MEMBER(size_type, capacity)                                                                \
    _CUBINET_HOST_ELEMENTS(type)

// Constness of a container is that of what its elements are reached by.
#ifdef CUBINET_HOST_MEMBERS
#define _CUBINET_HOST_ELEMENTS(type)                                                                         \
    _CUBINET_HOST_USE type &operator[](size_t);                                                              \
    _CUBINET_HOST_USE const type &operator[](size_t) const;                                                  \
    _CUBINET_HOST_USE type *data();                                                                          \
    _CUBINET_HOST_USE const type *data() const;
#else
#define _CUBINET_HOST_ELEMENTS(type)
#endif

#endif
