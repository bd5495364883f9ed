// SPDX-License-Identifier: Apache-2.0
// What device code of nvcc's has of gcc's dialect, and NVRTC does not. Statement expressions, arrays of no elements and
// case ranges are not among it: only the compiler itself can have these.
#ifndef CUBINET_STD_GCC_DIALECT_H
#define CUBINET_STD_GCC_DIALECT_H

#define __extension__
#define __asm__    asm
#define __const    const
#define __signed__ signed
#define __null     nullptr
#define __typeof__ __typeof

// Of expressions, not of types.
#define __typeof(...) ::__cubinet_dialect::__unreferenced<decltype((__VA_ARGS__))>

#define __builtin_constant_p(...)  0
#define __builtin_object_size(...) static_cast<size_t>(-1)
#define __builtin_offsetof(type, member) (static_cast<size_t>(__INTADDR__(&static_cast<type *>(0)->member)))
#define __builtin_prefetch(...)   static_cast<void>(0)
#define __builtin_trap()          __trap()
#define __builtin_inf()           __longlong_as_double(0x7ff0000000000000)
#define __builtin_inff()          __int_as_float(0x7f800000)
#define __builtin_huge_val()      __longlong_as_double(0x7ff0000000000000)
#define __builtin_huge_valf()     __int_as_float(0x7f800000)
#define __builtin_nan(text)       ::nan(text)
#define __builtin_nanf(text)      ::nanf(text)

namespace __cubinet_dialect
{

template <class _Ty> struct __without_reference {
    typedef _Ty type;
};
template <class _Ty> struct __without_reference<_Ty &> {
    typedef _Ty type;
};
template <class _Ty> struct __without_reference<_Ty &&> {
    typedef _Ty type;
};
template <class _Ty> using __unreferenced = typename __without_reference<_Ty>::type;

template <class _Ty> __host__ __device__ constexpr int __ones(_Ty __value)
{
    int __count = 0;
    for (; __value; __value &= __value - 1) {
        __count++;
    }
    return __count;
}
// The zeros below the lowest one, of a value that has one.
template <class _Ty> __host__ __device__ constexpr int __low_zeros(_Ty __value)
{
    return __ones<_Ty>((__value & (~__value + 1)) - 1);
}
template <class _Ty> __host__ __device__ constexpr int __high_zeros(_Ty __value)
{
    int __count = 8 * sizeof(_Ty);
    for (; __value; __value >>= 1) {
        __count--;
    }
    return __count;
}

} // namespace __cubinet_dialect

// Each for int, long and long long: what a constant is computed by, and what the GPU does.
#define _CUBINET_BITS(name, constant, in_32, in_64)                                                          \
    __host__ __device__ constexpr int __builtin_##name(unsigned int __value)                                 \
    {                                                                                                        \
        return __builtin_is_constant_evaluated() ? __cubinet_dialect::constant : in_32;                      \
    }                                                                                                        \
    __host__ __device__ constexpr int __builtin_##name##ll(unsigned long long __value)                       \
    {                                                                                                        \
        return __builtin_is_constant_evaluated() ? __cubinet_dialect::constant : in_64;                      \
    }                                                                                                        \
    __host__ __device__ constexpr int __builtin_##name##l(unsigned long __value)                             \
    {                                                                                                        \
        return __builtin_##name##ll(__value);                                                                \
    }
_CUBINET_BITS(popcount, __ones(__value), __popc(__value), __popcll(__value))
_CUBINET_BITS(parity, __ones(__value) & 1, __popc(__value) & 1, __popcll(__value) & 1)
_CUBINET_BITS(clz, __high_zeros(__value), __clz(__value), __clzll(__value))
_CUBINET_BITS(ctz, __low_zeros(__value), __ffs(__value) - 1, __ffsll(__value) - 1)
_CUBINET_BITS(ffs, __low_zeros(__value) + 1, __ffs(__value), __ffsll(__value))
#undef _CUBINET_BITS

__host__ __device__ inline unsigned int __builtin_bswap32(unsigned int __value)
{
    return __byte_perm(__value, 0, 0x0123);
}
__host__ __device__ inline unsigned short __builtin_bswap16(unsigned short __value)
{
    return static_cast<unsigned short>(__value << 8 | __value >> 8);
}
__host__ __device__ inline unsigned long long __builtin_bswap64(unsigned long long __value)
{
    return static_cast<unsigned long long>(__builtin_bswap32(static_cast<unsigned int>(__value))) << 32 |
           __builtin_bswap32(static_cast<unsigned int>(__value >> 32));
}

// Functions of C's that go by another name as well.
#define _CUBINET_ALIAS(name)                                                                                 \
    template <class... _Args> __host__ __device__ inline auto __builtin_##name(_Args... __args)              \
    {                                                                                                        \
        return ::name(__args...);                                                                            \
    }
_CUBINET_ALIAS(memcpy)
_CUBINET_ALIAS(memset)
_CUBINET_ALIAS(memmove)
_CUBINET_ALIAS(memcmp)
_CUBINET_ALIAS(strlen)
_CUBINET_ALIAS(strcmp)
_CUBINET_ALIAS(abs)
_CUBINET_ALIAS(labs)
_CUBINET_ALIAS(llabs)
_CUBINET_ALIAS(isnan)
_CUBINET_ALIAS(isinf)
_CUBINET_ALIAS(isfinite)
_CUBINET_ALIAS(signbit)
#define _CUBINET_FLOATS(name)                                                                                \
    _CUBINET_ALIAS(name)                                                                                     \
    _CUBINET_ALIAS(name##f)
_CUBINET_FLOATS(ceil)
_CUBINET_FLOATS(copysign)
_CUBINET_FLOATS(cos)
_CUBINET_FLOATS(exp)
_CUBINET_FLOATS(exp2)
_CUBINET_FLOATS(fabs)
_CUBINET_FLOATS(floor)
_CUBINET_FLOATS(fma)
_CUBINET_FLOATS(fmax)
_CUBINET_FLOATS(fmin)
_CUBINET_FLOATS(fmod)
_CUBINET_FLOATS(log)
_CUBINET_FLOATS(log2)
_CUBINET_FLOATS(pow)
_CUBINET_FLOATS(rint)
_CUBINET_FLOATS(round)
_CUBINET_FLOATS(sin)
_CUBINET_FLOATS(sqrt)
_CUBINET_FLOATS(tan)
_CUBINET_FLOATS(tanh)
_CUBINET_FLOATS(trunc)
#undef _CUBINET_FLOATS
#undef _CUBINET_ALIAS

#endif
