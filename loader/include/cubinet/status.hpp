/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Failures in C++: an exception, or in a build without exceptions a result.
 *
 * Functions of <cubinet/cubinet.hpp> that can fail return `returns<T>`:
 * - With exceptions, this is T, and failures throw a cubinet::error.
 * - Without (-fno-exceptions, or CUBINET_NO_EXCEPTIONS defined before the first header of Cubinet) it is
 *   result<T>, which holds the value or the error. The compiler warns where one is ignored.
 *
 * You may link sources of both kinds into one program. Each kind has its classes in its own inline namespace,
 * so the linker does not find a function of one kind that takes a class of the other. Pass the C handle
 * (`get()`) across such a border.
 */
#ifndef CUBINET_STATUS_HPP
#define CUBINET_STATUS_HPP

#include <cubinet/export.h>
#include <cubinet/status.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#if !defined(CUBINET_NO_EXCEPTIONS) && !defined(__cpp_exceptions)
#define CUBINET_NO_EXCEPTIONS 1
#endif

/** The inline namespace of the classes whose functions throw or return results. */
#ifdef CUBINET_NO_EXCEPTIONS
#define CUBINET_ERRORS_NAMESPACE without_exceptions
#else
#define CUBINET_ERRORS_NAMESPACE with_exceptions
#endif

namespace cubinet
{

/** A call that failed. Copies share the message; what() says what was found, what was needed and what to do.
 * @since 0.1 */
class CUBINET_API error : public std::runtime_error
{
  public:
    /** Takes the message of a C call that returned `status`. Construct it right after the call, in the same
     * thread. */
    explicit error(cubinet_status status)
        : std::runtime_error(cubinet_error_message()), status_(status),
          driver_result_(cubinet_error_driver_result())
    {
    }

    /** Never CUBINET_OK. */
    cubinet_status status() const noexcept
    {
        return status_;
    }

    /** The kind of error, which says what a program can do about it. */
    cubinet_outcome outcome() const noexcept
    {
        return cubinet_status_outcome(status_);
    }

    /** The CUresult behind it, or 0 if it did not come from the driver. */
    int driver_result() const noexcept
    {
        return driver_result_;
    }

  private:
    cubinet_status status_;
    int driver_result_;
};

namespace detail
{

/* Somebody asked for a value that is missing. */
[[noreturn, gnu::cold]] inline void end_without_value(const error &why)
{
    std::fprintf(stderr, "cubinet::result without a value: %s: %s\n", cubinet_status_name(why.status()),
                 why.what());
    std::abort();
}

} // namespace detail

/**
 * A value, or the error that took its place, like std::expected<T, cubinet::error>. But if the value is
 * missing, value(), * and -> end the program, with the message on stderr.
 * @since 0.1
 */
template <class T> class [[nodiscard]] result
{
  public:
    using value_type = T;
    using error_type = cubinet::error;

    result(T given) : held_(std::in_place_index<0>, std::move(given))
    {
    }

    result(cubinet::error why) : held_(std::in_place_index<1>, std::move(why))
    {
    }

    bool has_value() const noexcept
    {
        return held_.index() == 0;
    }

    explicit operator bool() const noexcept
    {
        return has_value();
    }

    /** CUBINET_OK if there is a value. */
    cubinet_status status() const noexcept
    {
        return has_value() ? CUBINET_OK : error().status();
    }

    /** Only where there is no value. */
    const cubinet::error &error() const noexcept
    {
        return *std::get_if<1>(&held_);
    }

    T &value() &
    {
        need_value();
        return *std::get_if<0>(&held_);
    }

    const T &value() const &
    {
        need_value();
        return *std::get_if<0>(&held_);
    }

    T &&value() &&
    {
        return std::move(value());
    }

    T &operator*() &
    {
        return value();
    }

    const T &operator*() const &
    {
        return value();
    }

    T &&operator*() &&
    {
        return std::move(value());
    }

    T *operator->()
    {
        return &value();
    }

    const T *operator->() const
    {
        return &value();
    }

    T value_or(T other) &&
    {
        return has_value() ? std::move(value()) : std::move(other);
    }

    T value_or(T other) const &
    {
        return has_value() ? value() : std::move(other);
    }

  private:
    void need_value() const
    {
        if (!has_value()) {
            detail::end_without_value(error());
        }
    }

    std::variant<T, cubinet::error> held_;
};

/** The result of a function that returns nothing.
 * @since 0.1 */
template <> class [[nodiscard]] result<void>
{
  public:
    using value_type = void;
    using error_type = cubinet::error;

    result() = default;

    result(cubinet::error why) : error_(std::move(why))
    {
    }

    bool has_value() const noexcept
    {
        return !error_;
    }

    explicit operator bool() const noexcept
    {
        return has_value();
    }

    /** CUBINET_OK if it succeeded. */
    cubinet_status status() const noexcept
    {
        return error_ ? error_->status() : CUBINET_OK;
    }

    /** Only where it failed. */
    const cubinet::error &error() const noexcept
    {
        return *error_;
    }

    /** Ends the program if it failed. */
    void value() const
    {
        if (error_) {
            detail::end_without_value(*error_);
        }
    }

  private:
    std::optional<cubinet::error> error_;
};

inline namespace CUBINET_ERRORS_NAMESPACE
{

/** T, and errors are thrown; result<T> in a build without exceptions.
 * @since 0.1 */
#ifdef CUBINET_NO_EXCEPTIONS
template <class T> using returns = result<T>;
#else
template <class T> using returns = T;
#endif

namespace calls
{

#ifdef CUBINET_NO_EXCEPTIONS

[[gnu::cold]] inline error fail(cubinet_status status)
{
    return error(status);
}

#define CUBINET_FAIL(status) return calls::fail(status)

#else

[[noreturn, gnu::cold]] inline void fail(cubinet_status status)
{
    throw error(status);
}

#define CUBINET_FAIL(status) calls::fail(status)

#endif

/* Turns the status of a C call into a result or an exception. */
template <class T> returns<T> answer(cubinet_status status, T value)
{
    if (status != CUBINET_OK) {
        CUBINET_FAIL(status);
    }
    return returns<T>(std::move(value));
}

inline returns<void> answer(cubinet_status status)
{
    if (status != CUBINET_OK) {
        CUBINET_FAIL(status);
    }
    return returns<void>();
}

#undef CUBINET_FAIL

/* Returns what a C call writes through its last parameter. */
template <class T, class Function, class... Arguments>
returns<T> read(Function function, Arguments... arguments)
{
    T out{};
    const cubinet_status status = function(arguments..., &out);
    return answer(status, out);
}

/* Returns the owner of the handle that a C call makes. */
template <class Owner, class Function, class... Arguments>
returns<Owner> make(Function function, Arguments... arguments)
{
    typename Owner::handle_type *out = nullptr;
    const cubinet_status status = function(arguments..., &out);
    return answer(status, Owner(out));
}

} // namespace calls

/** Turns the failure of a C call into an error: `check(cubinet_catalog_open(paths, nullptr, &catalog))`.
 * @since 0.1 */
inline returns<void> check(cubinet_status status)
{
    return calls::answer(status);
}

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
