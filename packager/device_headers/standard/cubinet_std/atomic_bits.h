// SPDX-License-Identifier: Apache-2.0
// What std::atomic is made of: orders, fences, and operations on words of 1, 2, 4 and 8 bytes.
#ifndef CUBINET_STD_ATOMIC_BITS_H
#define CUBINET_STD_ATOMIC_BITS_H

#include <type_traits>

namespace std
{

#if __cplusplus >= 202002L
enum class memory_order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_consume = memory_order::consume;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;
#else
enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};
#endif

_CUBINET_HD inline void atomic_thread_fence(memory_order __order) noexcept
{
    if (__order != memory_order_relaxed) {
        __threadfence_system();
    }
}
_CUBINET_HD inline void atomic_signal_fence(memory_order) noexcept
{
    asm volatile("" ::: "memory"); // the compiler alone is to keep the order
}

namespace __cubinet
{

_CUBINET_HD inline void __fence_before(memory_order __order)
{
    if (__order == memory_order_release || __order == memory_order_acq_rel ||
        __order == memory_order_seq_cst) {
        __threadfence_system();
    }
}
_CUBINET_HD inline void __fence_after(memory_order __order)
{
    if (__order != memory_order_relaxed && __order != memory_order_release) {
        __threadfence_system();
    }
}

template <class _To, class _From> _CUBINET_HD inline _To __reinterpret(const _From &__from)
{
    static_assert(sizeof(_To) == sizeof(_From), "an atomic object has 1, 2, 4 or 8 bytes");
    _To __to;
    memcpy(&__to, &__from, sizeof(_To));
    return __to;
}

// Before compute capability 6.0 there are none for the whole system, and no memory that it shares atomically.
#if __CUDA_ARCH__ >= 600
#define _CUBINET_ATOMIC(name) ::name##_system
#else
#define _CUBINET_ATOMIC(name) ::name
#endif

template <class _Word> struct __whole_words {
    using __type = _Word;
    _CUBINET_HD static _Word __exchange(void *__at, _Word __value)
    {
        return _CUBINET_ATOMIC(atomicExch)(static_cast<_Word *>(__at), __value);
    }
    _CUBINET_HD static _Word __compare_and_swap(void *__at, _Word __expected, _Word __value)
    {
        return _CUBINET_ATOMIC(atomicCAS)(static_cast<_Word *>(__at), __expected, __value);
    }
};

// A part of a word of 4 bytes, which is exchanged as a whole.
template <class _Part> struct __parts_of_words {
    using __type = _Part;
    _CUBINET_HD static _Part __compare_and_swap(void *__at, _Part __expected, _Part __value)
    {
        const size_t __address = reinterpret_cast<size_t>(__at);
        unsigned int *const __word = reinterpret_cast<unsigned int *>(__address & ~static_cast<size_t>(3));
        const unsigned int __shift = static_cast<unsigned int>(__address & 3) * 8;
        const unsigned int __mask = static_cast<unsigned int>(static_cast<_Part>(-1)) << __shift;
        unsigned int __seen = *static_cast<volatile unsigned int *>(__word);
        for (;;) {
            const _Part __here = static_cast<_Part>(__seen >> __shift);
            if (__here != __expected) {
                return __here;
            }
            const unsigned int __new = (__seen & ~__mask) | (static_cast<unsigned int>(__value) << __shift);
            const unsigned int __found = _CUBINET_ATOMIC(atomicCAS)(__word, __seen, __new);
            if (__found == __seen) {
                return __expected;
            }
            __seen = __found; // the part or its neighbours changed
        }
    }
    _CUBINET_HD static _Part __exchange(void *__at, _Part __value)
    {
        _Part __seen = *static_cast<volatile _Part *>(__at);
        for (;;) {
            const _Part __found = __compare_and_swap(__at, __seen, __value);
            if (__found == __seen) {
                return __seen;
            }
            __seen = __found;
        }
    }
};

template <size_t _Size> struct __atomic_bits;
template <> struct __atomic_bits<1> : __parts_of_words<unsigned char> {
};
template <> struct __atomic_bits<2> : __parts_of_words<unsigned short> {
};
template <> struct __atomic_bits<4> : __whole_words<unsigned int> {
};
template <> struct __atomic_bits<8> : __whole_words<unsigned long long> {
};

// An operation, by its function where there is one for the word, by repeated attempts where not.
#define _CUBINET_ATOMIC_OPERATION(name, function, op)                                                        \
    struct name {                                                                                            \
        _CUBINET_HD unsigned int operator()(unsigned int *__at, unsigned int __value) const                  \
        {                                                                                                    \
            return _CUBINET_ATOMIC(function)(__at, __value);                                                 \
        }                                                                                                    \
        _CUBINET_HD unsigned long long operator()(unsigned long long *__at,                                  \
                                                  unsigned long long __value) const                          \
        {                                                                                                    \
            return _CUBINET_ATOMIC(function)(__at, __value);                                                 \
        }                                                                                                    \
        template <class _Part> _CUBINET_HD _Part operator()(_Part *__at, _Part __value) const                \
        {                                                                                                    \
            _Part __seen = *static_cast<volatile _Part *>(__at);                                             \
            for (;;) {                                                                                       \
                const _Part __new = static_cast<_Part>(__seen op __value);                                   \
                const _Part __found = __parts_of_words<_Part>::__compare_and_swap(__at, __seen, __new);      \
                if (__found == __seen) {                                                                     \
                    return __seen;                                                                           \
                }                                                                                            \
                __seen = __found;                                                                            \
            }                                                                                                \
        }                                                                                                    \
    };
_CUBINET_ATOMIC_OPERATION(__add_bits, atomicAdd, +)
_CUBINET_ATOMIC_OPERATION(__and_bits, atomicAnd, &)
_CUBINET_ATOMIC_OPERATION(__or_bits, atomicOr, |)
_CUBINET_ATOMIC_OPERATION(__xor_bits, atomicXor, ^)
#undef _CUBINET_ATOMIC_OPERATION
#undef _CUBINET_ATOMIC

} // namespace __cubinet
} // namespace std

#endif
