/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What a generated header (`cubinet header`) builds its launches from, so that arguments that do not fit the
 * kernel's parameters do not compile. Programs include the generated header, which includes this one, and
 * need not use these names themselves.
 *
 * An argument fits a number if the parameter has every value of the argument's type: `int` fits `long` and
 * `float` fits `double`, but `int` fits neither `float` nor `unsigned`, and `long` does not fit `int`. It
 * fits a pointer if it points to the same type, or to one without the parameter's `const`; a null pointer
 * fits and, in C, `void *`. No integer fits a pointer: cast a CUdeviceptr. In C11 `true` is an `int`, and so
 * is 'x'.
 *
 * For C11 and C++11 of gcc and clang.
 */
#ifndef CUBINET_TYPED_H
#define CUBINET_TYPED_H

#include <stdbool.h>
#include <stddef.h>

#include <cubinet/launch.h>
#include <cubinet/module.h>

#ifdef __cplusplus

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>

/* Parameters of a generated function, and the cubinet_arg of one. */
#define CUBINET_PARAM(type)                       ::cubinet::typed::argument<type>
#define CUBINET_PARAM_OBJECT(type)                ::cubinet::typed::object_pointer<type>
#define CUBINET_PARAM_VALUE(bytes)                ::cubinet::typed::value<bytes>
#define CUBINET_PARAM_SIZED(bytes)                ::cubinet::typed::sized<bytes>
#define CUBINET_PARAM_ARG(parameter)              (parameter).get()
#define CUBINET_PARAM_VALUE_ARG(parameter, bytes) (parameter).get()

namespace cubinet
{
namespace typed
{

/** Whether a number type To has every value of another.
 * @since 0.1 */
template <class To, class From> constexpr bool holds_integer()
{
    return std::is_same<To, From>::value || std::is_same<From, bool>::value ||
           (!std::is_same<To, bool>::value && (std::is_signed<To>::value == std::is_signed<From>::value
                                                   ? sizeof(To) >= sizeof(From)
                                                   : std::is_signed<To>::value && sizeof(To) > sizeof(From)));
}

template <class To, class From> constexpr bool holds()
{
    return std::is_integral<To>::value && std::is_integral<From>::value
               ? holds_integer<To, From>()
               : std::is_floating_point<To>::value && std::is_floating_point<From>::value &&
                     sizeof(To) >= sizeof(From);
}

/** Whether an argument fits a parameter that is a number or a pointer. Enumerators of an unscoped enumeration
 * are numbers.
 * @since 0.1 */
template <class To, class From, bool is_enumeration> struct fits_number {
    static constexpr bool value = holds<To, From>();
};

template <class To, class From> struct fits_number<To, From, true> {
    static constexpr bool value =
        std::is_convertible<From, To>::value && holds<To, typename std::underlying_type<From>::type>();
};

template <class To, class From> struct fits : fits_number<To, From, std::is_enum<From>::value> {
};

template <class To, class From> struct fits<To *, From> : std::is_convertible<From, To *> {
};

/** A parameter that is a number or a pointer.
 * @since 0.1 */
template <class T> class argument
{
  public:
    template <class From, class = typename std::enable_if<fits<T, From>::value>::type>
    argument(From from) : held(static_cast<T>(from))
    {
    }
    cubinet_arg get() const
    {
        return {&held, sizeof(held)};
    }

  private:
    T held;
};

/** A pointer to what the header can't name, such as a class; T is void or const void.
 * @since 0.1 */
template <class T> class object_pointer
{
  public:
    template <class From, class = typename std::enable_if<
                              std::is_convertible<From, T *>::value &&
                              !std::is_arithmetic<typename std::remove_pointer<From>::type>::value>::type>
    object_pointer(From from) : held(from)
    {
    }
    cubinet_arg get() const
    {
        return {&held, sizeof(held)};
    }

  private:
    T *held;
};

/** A class or an enumeration that the header can't name: any of its size.
 * @since 0.1 */
template <size_t bytes> class value
{
  public:
    template <class T, class = typename std::enable_if<sizeof(T) == bytes &&
                                                       (std::is_class<T>::value || std::is_union<T>::value ||
                                                        std::is_enum<T>::value)>::type>
    value(const T &object) : held(&reinterpret_cast<const unsigned char &>(object))
    {
    }
    cubinet_arg get() const
    {
        return {held, bytes};
    }

  private:
    const void *held;
};

/** A parameter of which only the size is known: takes anything of that size, arrays as pointers.
 * @since 0.1 */
template <size_t bytes> class sized
{
  public:
    template <class T, class Decayed = typename std::decay<const T &>::type,
              class = typename std::enable_if<sizeof(Decayed) == bytes>::type>
    sized(const T &object)
    {
        const Decayed &decayed = object;
        std::memcpy(held, &reinterpret_cast<const unsigned char &>(decayed), bytes);
    }
    cubinet_arg get() const
    {
        return {held, bytes};
    }

  private:
    unsigned char held[bytes];
};

template <class T, bool is_plain> struct parameter {
    using type = argument<T>;
};

template <class T> struct parameter<T, false> {
    using type = T;
};

/** A kernel with the types of its parameters: numbers and pointers as they are, others as above. It refers to
 * the kernel, and owns nothing.
 * @since 0.1 */
template <class... T> class kernel_of
{
  public:
    kernel_of(const char *name, cubinet_kernel *kernel) noexcept : lowered(name), bound(kernel)
    {
    }

    /** Finds the kernel in a module, as cubinet_module_find_kernel(). Unchanged on failure. */
    cubinet_status bind(cubinet_module *module)
    {
        return cubinet_module_find_kernel(module, lowered, &bound);
    }

    /** NULL before it is bound. */
    cubinet_kernel *get() const noexcept
    {
        return bound;
    }

    /** The name that it has in the archive. */
    const char *name() const noexcept
    {
        return lowered;
    }

    /** cubinet_kernel_launch() */
    cubinet_status operator()(const cubinet_launch_config &config,
                              typename parameter<T, std::is_scalar<T>::value>::type... arguments) const
    {
        const cubinet_arg args[] = {arguments.get()..., cubinet_arg{nullptr, 0}};
        return cubinet_kernel_launch(bound, &config, args, sizeof...(T));
    }

    /* `{blocks, 256}` would set the first members of the struct of C, which are others. */
    template <class... Arguments>
    cubinet_status operator()(std::initializer_list<uint32_t>, const Arguments &...) const
    {
        static_assert(sizeof...(Arguments) > 1000, "a cubinet_launch_config begins with its size: write "
                                                   "cubinet::launch_config(grid, block) of "
                                                   "<cubinet/cubinet.hpp>, or call cubinet::launch()");
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }

  private:
    const char *lowered;
    cubinet_kernel *bound;
};

} // namespace typed
} // namespace cubinet

#else

/* Parameters of a generated function, and the cubinet_arg of one. */
#define CUBINET_PARAM(type)          type
#define CUBINET_PARAM_OBJECT(type)   type *
#define CUBINET_PARAM_VALUE(bytes)   const void *
#define CUBINET_PARAM_SIZED(bytes)   const void *
#define CUBINET_PARAM_ARG(parameter) CUBINET_ARG(parameter)
#define CUBINET_PARAM_VALUE_ARG(parameter, bytes)                                                            \
    {                                                                                                        \
        (parameter), (bytes)                                                                                 \
    }

/* Arguments of a generated function, which is a macro, too: each is `x`, if its type fits. */
/* clang-format off */
#define CUBINET_PASS_BOOL(x) _Generic((x), _Bool: (x))
#define CUBINET_PASS_CHAR(x) _Generic((x), _Bool: (x), char: (x))
#define CUBINET_PASS_SIGNED_CHAR(x) _Generic((x), _Bool: (x), signed char: (x))
#define CUBINET_PASS_UNSIGNED_CHAR(x) _Generic((x), _Bool: (x), unsigned char: (x))
#define CUBINET_PASS_SHORT(x) \
    _Generic((x), _Bool: (x), char: (x), signed char: (x), unsigned char: (x), short: (x))
#define CUBINET_PASS_UNSIGNED_SHORT(x) \
    _Generic((x), _Bool: (x), unsigned char: (x), unsigned short: (x))
#define CUBINET_PASS_INT(x) \
    _Generic((x), _Bool: (x), char: (x), signed char: (x), unsigned char: (x), \
             short: (x), unsigned short: (x), int: (x))
#define CUBINET_PASS_UNSIGNED_INT(x) \
    _Generic((x), _Bool: (x), unsigned char: (x), unsigned short: (x), unsigned int: (x))
#define CUBINET_PASS_LONG(x) \
    _Generic((x), _Bool: (x), char: (x), signed char: (x), unsigned char: (x), \
             short: (x), unsigned short: (x), int: (x), unsigned int: (x), long: (x), long long: (x))
#define CUBINET_PASS_UNSIGNED_LONG(x) \
    _Generic((x), _Bool: (x), unsigned char: (x), unsigned short: (x), unsigned int: (x), \
             unsigned long: (x), unsigned long long: (x))
#define CUBINET_PASS_LONG_LONG(x) CUBINET_PASS_LONG(x)
#define CUBINET_PASS_UNSIGNED_LONG_LONG(x) CUBINET_PASS_UNSIGNED_LONG(x)
#define CUBINET_PASS_FLOAT(x) _Generic((x), float: (x))
#define CUBINET_PASS_DOUBLE(x) _Generic((x), float: (x), double: (x))
#define CUBINET_PASS_POINTER(type, x) _Generic((x), type *: (x), void *: (x))
#define CUBINET_PASS_CONST_POINTER(type, x) \
    _Generic((x), type *: (x), type const *: (x), void *: (x), void const *: (x))
#define CUBINET_PASS_VOLATILE_POINTER(type, x) \
    _Generic((x), type *: (x), type volatile *: (x), void *: (x), void volatile *: (x))

/* A pointer to what the header can't name: any pointer. */
#define CUBINET_PASS_OBJECT(x) \
    ((void)sizeof(struct { \
         _Static_assert(_Generic((x), _Bool: 0, char: 0, signed char: 0, unsigned char: 0, short: 0, \
                                 unsigned short: 0, int: 0, unsigned int: 0, long: 0, unsigned long: 0, \
                                 long long: 0, unsigned long long: 0, float: 0, double: 0, default: 1), \
                        "the parameter is a pointer, the argument is a number"); \
         char unused; \
     }), (x))

/* The address of a value that must have so many bytes; after a comma arrays are pointers. */
#define CUBINET_PASS_SIZED(bytes, x) \
    ((__typeof__((void)0, (x))[1 + 0 * sizeof(struct { \
          _Static_assert(sizeof(__typeof__((void)0, (x))) == (bytes), \
                         "the argument and the parameter differ in size"); \
          char unused; \
      })]){x})
/* clang-format on */
#endif
#endif
