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

// Within a class: what it is not to have. The class is public afterwards.
#define _CUBINET_HOST_ONLY(name)                                                                             \
  public:                                                                                                    \
    _CUBINET_HD name() = delete;                                                                             \
    _CUBINET_HD name(const name &) = delete;                                                                 \
    _CUBINET_HD name &operator=(const name &) = delete;

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
    _CUBINET_HOST_WORDS(_Words)
};

} // namespace __cubinet_host
} // namespace std

// Within a class: the types of a container of `type`, with iterators of so many words.
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
    using const_reverse_iterator = ::std::__cubinet_host::__iterator<const type, words, iterator>;

#endif
