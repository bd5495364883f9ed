// SPDX-License-Identifier: Apache-2.0
// Engines and distributions of random numbers.
#if !defined(CUBINET_HOST_RANDOM_H) && __cplusplus >= 201402L
#define CUBINET_HOST_RANDOM_H

#include "cubinet_host/string.h"
#include "cubinet_host/vector.h"
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace std
{

#define _CUBINET_HOST_ENGINE(name, ...)                                                                      \
    {                                                                                                        \
        _CUBINET_HOST_ONLY(name)                                                                             \
        using result_type = _UInt;                                                                           \
                                                                                                             \
      private:                                                                                               \
        __VA_ARGS__                                                                                          \
    };
// Of another engine, and more.
#define _CUBINET_HOST_ADAPTER(name, ...)                                                                     \
    {                                                                                                        \
        _CUBINET_HOST_ONLY(name)                                                                             \
        using result_type = typename _Engine::result_type;                                                   \
                                                                                                             \
      private:                                                                                               \
        alignas(8) char __engine[sizeof(_Engine)];                                                           \
        __VA_ARGS__                                                                                          \
    };

template <class _UInt, _UInt _Factor, _UInt _Increment, _UInt _Modulus>
class linear_congruential_engine _CUBINET_HOST_ENGINE(linear_congruential_engine, _UInt __last;)
template <class _UInt, size_t _Bits, size_t _Size, size_t _M, size_t _R, _UInt _A, size_t _U, _UInt _D, size_t _S,
          _UInt _B, size_t _T, _UInt _C, size_t _L, _UInt _F>
class mersenne_twister_engine _CUBINET_HOST_ENGINE(mersenne_twister_engine, _UInt __state[_Size]; size_t __at;)
template <class _UInt, size_t _Bits, size_t _Short, size_t _Long>
class subtract_with_carry_engine
    _CUBINET_HOST_ENGINE(subtract_with_carry_engine, _UInt __state[_Long]; _UInt __carry; size_t __at;)
template <class _Engine, size_t _Block, size_t _Used>
class discard_block_engine _CUBINET_HOST_ADAPTER(discard_block_engine, size_t __at;)
template <class _Engine, size_t _Size>
class shuffle_order_engine
    _CUBINET_HOST_ADAPTER(shuffle_order_engine, typename _Engine::result_type __table[_Size + 1];)
template <class _Engine, size_t _Bits, class _UInt>
class independent_bits_engine _CUBINET_HOST_ADAPTER(independent_bits_engine, )

#undef _CUBINET_HOST_ENGINE
#undef _CUBINET_HOST_ADAPTER

// libstdc++'s uint_fast32_t and uint_fast64_t are unsigned long.
using minstd_rand0 = linear_congruential_engine<unsigned long, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<unsigned long, 48271, 0, 2147483647>;
using mt19937 = mersenne_twister_engine<unsigned long, 32, 624, 397, 31, 0x9908b0df, 11, 0xffffffff, 7, 0x9d2c5680, 15,
                                        0xefc60000, 18, 1812433253>;
using mt19937_64 = mersenne_twister_engine<unsigned long, 64, 312, 156, 31, 0xb5026f5aa96619e9, 29, 0x5555555555555555,
                                           17, 0x71d67fffeda60000, 37, 0xfff7eee000000000, 43, 6364136223846793005>;
using ranlux24_base = subtract_with_carry_engine<unsigned long, 24, 10, 24>;
using ranlux48_base = subtract_with_carry_engine<unsigned long, 48, 5, 12>;
using ranlux24 = discard_block_engine<ranlux24_base, 223, 23>;
using ranlux48 = discard_block_engine<ranlux48_base, 389, 11>;
using knuth_b = shuffle_order_engine<minstd_rand0, 256>;
using default_random_engine = minstd_rand0;

class random_device
{
    _CUBINET_HOST_ONLY(random_device)
    using result_type = unsigned int;
    _CUBINET_HOST_WORDS(625)
};
_CUBINET_HOST_CLASS(seed_seq, 3)

// Distributions: how many of their own type they hold.
#define _CUBINET_HOST_DISTRIBUTION(name, type, held, count)                                                  \
    template <class _Ty = type> class name                                                                   \
    {                                                                                                        \
        _CUBINET_HOST_ONLY(name)                                                                             \
        using result_type = _Ty;                                                                             \
        struct param_type;                                                                                   \
                                                                                                             \
      private:                                                                                               \
        held __parameters[count];                                                                            \
    };
_CUBINET_HOST_DISTRIBUTION(uniform_int_distribution, int, _Ty, 2)
_CUBINET_HOST_DISTRIBUTION(uniform_real_distribution, double, _Ty, 2)
_CUBINET_HOST_DISTRIBUTION(normal_distribution, double, _Ty, 4)
_CUBINET_HOST_DISTRIBUTION(lognormal_distribution, double, _Ty, 6)
_CUBINET_HOST_DISTRIBUTION(exponential_distribution, double, _Ty, 1)
_CUBINET_HOST_DISTRIBUTION(gamma_distribution, double, _Ty, 8)
_CUBINET_HOST_DISTRIBUTION(chi_squared_distribution, double, _Ty, 9)
_CUBINET_HOST_DISTRIBUTION(student_t_distribution, double, _Ty, 13)
_CUBINET_HOST_DISTRIBUTION(fisher_f_distribution, double, _Ty, 18)
_CUBINET_HOST_DISTRIBUTION(cauchy_distribution, double, _Ty, 2)
_CUBINET_HOST_DISTRIBUTION(weibull_distribution, double, _Ty, 2)
_CUBINET_HOST_DISTRIBUTION(extreme_value_distribution, double, _Ty, 2)
_CUBINET_HOST_DISTRIBUTION(poisson_distribution, int, double, 13)
_CUBINET_HOST_DISTRIBUTION(binomial_distribution, int, double, 18)
_CUBINET_HOST_DISTRIBUTION(negative_binomial_distribution, int, double, 10)
_CUBINET_HOST_DISTRIBUTION(geometric_distribution, int, double, 2)
_CUBINET_HOST_DISTRIBUTION(discrete_distribution, int, double, 6)
_CUBINET_HOST_DISTRIBUTION(piecewise_constant_distribution, double, double, 9)
_CUBINET_HOST_DISTRIBUTION(piecewise_linear_distribution, double, double, 12)
#undef _CUBINET_HOST_DISTRIBUTION
_CUBINET_HOST_CLASS(bernoulli_distribution, 1)

_CUBINET_HOST_TEMPLATE(generate_canonical)

} // namespace std

#endif
