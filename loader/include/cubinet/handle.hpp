/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Shared by the C++ classes: handles with an owner, structs that set their size, names, arrays.
 */
#ifndef CUBINET_HANDLE_HPP
#define CUBINET_HANDLE_HPP

#include <cubinet/status.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>

namespace cubinet
{

/**
 * A C struct whose first member is its `size`: zero-initialised, with `size` set.
 *
 * @code{.cpp}
 * cubinet::sized<cubinet_load_options> options;
 * options.flags = CUBINET_LOAD_NO_CACHE;
 * @endcode
 * @since 0.1
 */
template <class Struct> struct sized : Struct {
    sized() noexcept : Struct()
    {
        this->size = sizeof(Struct);
    }
};

/**
 * Text that ends with a NUL: a literal, a std::string, a std::filesystem::path. (A std::string_view need not
 * end with one, so it is not accepted.) For parameters: it is read only during the call, and owns nothing.
 * @since 0.1
 */
class text
{
  public:
    text(const char *data) noexcept : data_(data)
    {
    }

    template <
        class String,
        std::enable_if_t<
            std::is_convertible_v<decltype(std::declval<const String &>().c_str()), const char *>, int> = 0>
    text(const String &string) noexcept : data_(string.c_str())
    {
    }

    const char *c_str() const noexcept
    {
        return data_;
    }

  private:
    const char *data_;
};

/** An array that somebody else owns: C++20's std::span, for C++17 too. It is a separate type that converts to
 * std::span, so that you can link sources of both versions.
 * @since 0.1 */
template <class T> class span
{
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr span() noexcept = default;

    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }

    /** Of an array, a std::array, a std::vector, a std::span and the like. A temporary one lives until the
     * end of the call that it is passed to. */
    template <class Range,
              std::enable_if_t<
                  std::is_convertible_v<
                      std::remove_pointer_t<decltype(std::data(std::declval<Range &>()))> (*)[], T (*)[]> &&
                      (std::is_lvalue_reference_v<Range> || std::is_const_v<T>),
                  int> = 0>
    constexpr span(Range &&range) noexcept : span(std::data(range), std::size(range))
    {
    }

    /** Of a list, as in `load_devices(driver, archive, "scale", {0, 1})`. It lives as long as a temporary. */
    template <
        class Element = T,
        std::enable_if_t<std::is_const_v<Element> && !std::is_pointer_v<std::remove_cv_t<Element>>, int> = 0>
    constexpr span(std::initializer_list<std::remove_cv_t<Element>> list) noexcept
        : span(list.begin(), list.size())
    {
    }

    constexpr T *data() const noexcept
    {
        return data_;
    }

    constexpr std::size_t size() const noexcept
    {
        return size_;
    }

    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }

    constexpr T *begin() const noexcept
    {
        return data_;
    }

    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }

    constexpr T &operator[](std::size_t index) const noexcept
    {
        return data_[index];
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/**
 * A C handle with one owner, whose destructor ends it. You can move it, but not copy it. After a move or
 * default construction it holds nothing: calls that can fail then do, with CUBINET_ERROR_INVALID_ARGUMENT,
 * but for module::unload(), which has nothing to do; others return 0, NULL or what is empty.
 *
 * The destructor drops the result of end(). Where that result matters, the class has a function that returns
 * it (module::unload()).
 * @since 0.1
 */
template <class Handle, auto end> class owner
{
  public:
    using handle_type = Handle;

    owner() noexcept = default;

    /** Takes over a handle that C made. */
    explicit owner(Handle *handle) noexcept : handle_(handle)
    {
    }

    /** The handle, for C functions; NULL if it holds nothing. This object still owns it. */
    Handle *get() const noexcept
    {
        return handle_.get();
    }

    /** As get(), but passes ownership to the caller. */
    Handle *release() noexcept
    {
        return handle_.release();
    }

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

  private:
    struct ender {
        void operator()(Handle *handle) const noexcept
        {
            static_cast<void>(end(handle));
        }
    };

    std::unique_ptr<Handle, ender> handle_;
};

/**
 * Numbered things of an archive, such as its modules: a range to iterate over, which allocates nothing.
 *
 * Its iterators have random access. They create the elements that they point to, so in C++17's terms they are
 * input iterators.
 * @since 0.1
 */
template <class Entry> class entries
{
  public:
    class iterator
    {
      public:
        using iterator_concept = std::random_access_iterator_tag;
        using iterator_category = std::input_iterator_tag;
        using value_type = Entry;
        using difference_type = std::ptrdiff_t;
        using pointer = const Entry *;
        using reference = Entry;

        iterator() noexcept = default;

        explicit iterator(Entry entry) noexcept : entry_(entry)
        {
        }

        Entry operator*() const noexcept
        {
            return entry_;
        }

        const Entry *operator->() const noexcept
        {
            return &entry_;
        }

        Entry operator[](difference_type distance) const noexcept
        {
            return *(*this + distance);
        }

        iterator &operator+=(difference_type distance) noexcept
        {
            entry_ = entry_.moved(distance);
            return *this;
        }

        iterator &operator-=(difference_type distance) noexcept
        {
            return *this += -distance;
        }

        iterator &operator++() noexcept
        {
            return *this += 1;
        }

        iterator operator++(int) noexcept
        {
            iterator before = *this;
            ++*this;
            return before;
        }

        iterator &operator--() noexcept
        {
            return *this -= 1;
        }

        iterator operator--(int) noexcept
        {
            iterator before = *this;
            --*this;
            return before;
        }

        friend iterator operator+(iterator from, difference_type distance) noexcept
        {
            return from += distance;
        }

        friend iterator operator+(difference_type distance, iterator from) noexcept
        {
            return from += distance;
        }

        friend iterator operator-(iterator from, difference_type distance) noexcept
        {
            return from -= distance;
        }

        friend difference_type operator-(const iterator &a, const iterator &b) noexcept
        {
            return difference_type{a.entry_.number()} - difference_type{b.entry_.number()};
        }

        friend bool operator==(const iterator &a, const iterator &b) noexcept
        {
            return a - b == 0;
        }

        friend bool operator!=(const iterator &a, const iterator &b) noexcept
        {
            return a - b != 0;
        }

        friend bool operator<(const iterator &a, const iterator &b) noexcept
        {
            return a - b < 0;
        }

        friend bool operator>(const iterator &a, const iterator &b) noexcept
        {
            return a - b > 0;
        }

        friend bool operator<=(const iterator &a, const iterator &b) noexcept
        {
            return a - b <= 0;
        }

        friend bool operator>=(const iterator &a, const iterator &b) noexcept
        {
            return a - b >= 0;
        }

      private:
        Entry entry_;
    };

    entries() noexcept = default;

    entries(Entry first, std::uint32_t size) noexcept : first_(first), size_(size)
    {
    }

    iterator begin() const noexcept
    {
        return iterator(first_);
    }

    iterator end() const noexcept
    {
        return begin() + std::ptrdiff_t{size_};
    }

    std::uint32_t size() const noexcept
    {
        return size_;
    }

    bool empty() const noexcept
    {
        return size_ == 0;
    }

    Entry operator[](std::uint32_t number) const noexcept
    {
        return first_.moved(std::ptrdiff_t{number});
    }

  private:
    Entry first_;
    std::uint32_t size_ = 0;
};

} // namespace cubinet

#endif
