/* SPDX-License-Identifier: Apache-2.0 */
/* What NVRTC declares before a source, for the host's compiler: enough to compile the headers for device code
 * with, and to run them without a GPU. No header of the host's is included. */
#ifndef PRELUDE_H
#define PRELUDE_H

#define __CUDACC__
#define __CUDACC_RTC__
#define __CUDA_ARCH__                 900
#define __NV_BUILTIN_MOVE_FORWARD     1
#define __NV_BUILTIN_INITIALIZER_LIST 1
#define __host__
#define __device__
#define __noinline__ __attribute__((noinline))
#define __shared__   static

typedef decltype(sizeof(0)) size_t;
typedef decltype(static_cast<char *>(nullptr) - static_cast<char *>(nullptr)) ptrdiff_t;
typedef long clock_t;
#define NULL 0

extern "C" {
int printf(const char *, ...);
void *malloc(size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int abs(int);
long labs(long);
long long llabs(long long);
clock_t clock();
}
void __assertfail(const char *, const char *, unsigned int, const char *, size_t);
inline long abs(long x)
{
    return __builtin_labs(x);
}
inline long long abs(long long x)
{
    return __builtin_llabs(x);
}

inline void *operator new(size_t, void *place) noexcept
{
    return place;
}
inline void operator delete(void *, void *) noexcept
{
}

/* The compiler knows the layout of an initializer_list, not its names. */
namespace std
{
template <class T> class initializer_list
{
    const T *first;
    size_t length;
    constexpr initializer_list(const T *values, size_t count) : first(values), length(count)
    {
    }

  public:
    typedef T value_type;
    typedef const T *iterator;
    typedef const T *const_iterator;
    constexpr initializer_list() noexcept : first(nullptr), length(0)
    {
    }
    constexpr size_t size() const noexcept
    {
        return length;
    }
    constexpr const T *begin() const noexcept
    {
        return first;
    }
    constexpr const T *end() const noexcept
    {
        return first + length;
    }
};

template <class T> struct prelude_bare {
    typedef T type;
};
template <class T> struct prelude_bare<T &> {
    typedef T type;
};
template <class T> struct prelude_bare<T &&> {
    typedef T type;
};
template <class T> constexpr T &&forward(typename prelude_bare<T>::type &value) noexcept
{
    return static_cast<T &&>(value);
}
template <class T> constexpr T &&forward(typename prelude_bare<T>::type &&value) noexcept
{
    return static_cast<T &&>(value);
}
template <class T> constexpr typename prelude_bare<T>::type &&move(T &&value) noexcept
{
    return static_cast<typename prelude_bare<T>::type &&>(value);
}
} // namespace std

/* Of each function there is one for float and one for double. */
#define PRELUDE_1(name)                                                                                      \
    extern "C" double name(double);                                                                          \
    extern "C" float name##f(float);                                                                         \
    inline float name(float x)                                                                               \
    {                                                                                                        \
        return name##f(x);                                                                                   \
    }
#define PRELUDE_2(name)                                                                                      \
    extern "C" double name(double, double);                                                                  \
    extern "C" float name##f(float, float);                                                                  \
    inline float name(float x, float y)                                                                      \
    {                                                                                                        \
        return name##f(x, y);                                                                                \
    }
#define PRELUDE_WITH(result_double, result_float, name, type)                                                \
    extern "C" result_double name(double, type);                                                             \
    extern "C" result_float name##f(float, type);                                                            \
    inline result_float name(float x, type second)                                                           \
    {                                                                                                        \
        return name##f(x, second);                                                                           \
    }
#define PRELUDE_INT(result, name)                                                                            \
    extern "C" result name(double);                                                                          \
    extern "C" result name##f(float);                                                                        \
    inline result name(float x)                                                                              \
    {                                                                                                        \
        return name##f(x);                                                                                   \
    }
PRELUDE_1(acos)
PRELUDE_1(acosh)
PRELUDE_1(asin)
PRELUDE_1(asinh)
PRELUDE_1(atan)
PRELUDE_1(atanh)
PRELUDE_1(cbrt)
PRELUDE_1(ceil)
PRELUDE_1(cos)
PRELUDE_1(cosh)
PRELUDE_1(erf)
PRELUDE_1(erfc)
PRELUDE_1(exp)
PRELUDE_1(exp2)
PRELUDE_1(expm1)
PRELUDE_1(fabs)
PRELUDE_1(floor)
PRELUDE_1(lgamma)
PRELUDE_1(log)
PRELUDE_1(log10)
PRELUDE_1(log1p)
PRELUDE_1(log2)
PRELUDE_1(logb)
PRELUDE_1(nearbyint)
PRELUDE_1(rint)
PRELUDE_1(round)
PRELUDE_1(sin)
PRELUDE_1(sinh)
PRELUDE_1(sqrt)
PRELUDE_1(tan)
PRELUDE_1(tanh)
PRELUDE_1(tgamma)
PRELUDE_1(trunc)
PRELUDE_2(atan2)
PRELUDE_2(copysign)
PRELUDE_2(fdim)
PRELUDE_2(fmax)
PRELUDE_2(fmin)
PRELUDE_2(fmod)
PRELUDE_2(hypot)
PRELUDE_2(nextafter)
PRELUDE_2(pow)
inline float pow(float x, int y)
{
    return powf(x, static_cast<float>(y));
}
PRELUDE_2(remainder)
PRELUDE_WITH(double, float, frexp, int *)
PRELUDE_WITH(double, float, ldexp, int)
PRELUDE_WITH(double, float, scalbln, long)
PRELUDE_WITH(double, float, scalbn, int)
PRELUDE_INT(int, ilogb)
PRELUDE_INT(long, lrint)
PRELUDE_INT(long, lround)
PRELUDE_INT(long long, llrint)
PRELUDE_INT(long long, llround)
extern "C" {
double fma(double, double, double);
float fmaf(float, float, float);
double modf(double, double *);
float modff(float, float *);
double remquo(double, double, int *);
float remquof(float, float, int *);
double nan(const char *);
float nanf(const char *);
}
inline float fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}
inline float modf(float x, float *whole)
{
    return modff(x, whole);
}
inline float remquo(float x, float y, int *quotient)
{
    return remquof(x, y, quotient);
}
inline float abs(float x)
{
    return fabsf(x);
}
inline double abs(double x)
{
    return fabs(x);
}
inline double norm3d(double x, double y, double z)
{
    return hypot(hypot(x, y), z);
}
inline float norm3df(float x, float y, float z)
{
    return hypotf(hypotf(x, y), z);
}
#define PRELUDE_CLASS(name)                                                                                  \
    inline int name(float x)                                                                                 \
    {                                                                                                        \
        return __builtin_##name(x);                                                                          \
    }                                                                                                        \
    inline int name(double x)                                                                                \
    {                                                                                                        \
        return __builtin_##name(x);                                                                          \
    }
PRELUDE_CLASS(isfinite)
PRELUDE_CLASS(isinf)
PRELUDE_CLASS(isnan)
PRELUDE_CLASS(signbit)

inline unsigned int __float_as_uint(float x)
{
    return __builtin_bit_cast(unsigned int, x);
}
inline long long __double_as_longlong(double x)
{
    return __builtin_bit_cast(long long, x);
}
inline int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
inline int __clz(int x)
{
    return x ? __builtin_clz(static_cast<unsigned int>(x)) : 32;
}
inline int __clzll(long long x)
{
    return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
#define __trap() __builtin_trap()
inline void __threadfence_system()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
template <class T> T atomicExch_system(T *at, T value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
template <class T> T atomicCAS_system(T *at, T expected, T value)
{
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
template <class T> T atomicAdd_system(T *at, T value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
template <class T> T atomicAnd_system(T *at, T value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
template <class T> T atomicOr_system(T *at, T value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
template <class T> T atomicXor_system(T *at, T value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}

/* Built into NVRTC, and not into every other compiler. */
namespace prelude
{
template <class T> T &&value();
template <class T> void take(T);
template <class From, class To, class = void> struct converts {
    static constexpr bool yes = __is_same(const volatile From, const volatile void) &&
                                __is_same(const volatile To, const volatile void);
};
template <class From, class To> struct converts<From, To, decltype(take<To>(value<From>()))> {
    static constexpr bool yes = true;
};
template <class T, class = void> struct destroys {
    static constexpr bool yes = false;
    static constexpr bool nothrow = false;
};
template <class T> struct destroys<T, decltype(static_cast<T *>(nullptr)->~T())> {
    static constexpr bool yes = true;
    static constexpr bool nothrow = noexcept(static_cast<T *>(nullptr)->~T());
};
template <class T> struct destroys<T &, void> {
    static constexpr bool yes = true;
    static constexpr bool nothrow = true;
};
template <class T, size_t N> struct destroys<T[N], void> : destroys<T> {
};
} // namespace prelude
#define __INTADDR__(address) reinterpret_cast<size_t>(address)
#define __is_convertible_to(...) (prelude::converts<__VA_ARGS__>::yes)
#define __is_destructible(...) (prelude::destroys<__VA_ARGS__>::yes)
#define __is_nothrow_destructible(...) (prelude::destroys<__VA_ARGS__>::nothrow)
#define __is_trivially_destructible(...)                                                                     \
    (prelude::destroys<__VA_ARGS__>::yes && __has_trivial_destructor(__VA_ARGS__))

#endif
