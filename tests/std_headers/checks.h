/* SPDX-License-Identifier: Apache-2.0 */
/* What the standard headers mean: each check computes values with one header. The same text is compiled three
 * times: with the host's standard library, which says what is right; with the headers for device code on the
 * host; and with them by NVRTC, for a GPU. With CHECK_THRUST the same of Thrust's headers, which the host's
 * compiler takes without changes. */
#ifndef CHECKS_H
#define CHECKS_H

#ifdef CHECK_THRUST
#define CHECKS(X)                                                                                            \
    X(complex)                                                                                               \
    X(copying)                                                                                               \
    X(iterators)                                                                                             \
    X(numeric)                                                                                               \
    X(random)                                                                                                \
    X(searching)                                                                                             \
    X(sorting)
#define CHECK_IS_EXACT(check) ((check) != CHECK_complex && (check) != CHECK_random)
#else
#define CHECKS(X)                                                                                            \
    X(algorithm)                                                                                             \
    X(array)                                                                                                 \
    X(atomic)                                                                                                \
    X(bit)                                                                                                   \
    X(characters)                                                                                            \
    X(chrono)                                                                                                \
    X(complex)                                                                                               \
    X(concepts)                                                                                              \
    X(functional)                                                                                            \
    X(iterator)                                                                                              \
    X(limits)                                                                                                \
    X(math)                                                                                                  \
    X(memory)                                                                                                \
    X(numeric)                                                                                               \
    X(optional)                                                                                              \
    X(ratio)                                                                                                 \
    X(span)                                                                                                  \
    X(tuple)                                                                                                 \
    X(type_traits)                                                                                           \
    X(utility)                                                                                               \
    X(variant)
#define CHECK_IS_EXACT(check) ((check) != CHECK_complex && (check) != CHECK_math)
#endif

enum check_number {
#define CHECK_NUMBER(name) CHECK_##name,
    CHECKS(CHECK_NUMBER)
#undef CHECK_NUMBER
        CHECK_COUNT
};

enum { CHECK_MAX_VALUES = 512 };

#ifdef __cplusplus

#ifndef __CUDACC__
#define __host__
#define __device__
#define __noinline__
#endif

/* Where a check puts its values. */
struct check_values {
    double *values;
    unsigned int count;
};

/* Adds values, in the order in which they are written: braces, unlike parentheses, evaluate what is in them
 * so. */
struct check_shown {
    template <class... Ts> __device__ __noinline__ check_shown(check_values &out, Ts... more)
    {
        const double each[] = {static_cast<double>(more)...};
        for (double value : each) {
            if (out.count < CHECK_MAX_VALUES) {
                out.values[out.count] = value;
            }
            out.count++;
        }
    }
};
#define CHECK_SHOW(...)                                                                                      \
    check_shown                                                                                              \
    {                                                                                                        \
        out, __VA_ARGS__                                                                                     \
    }

#ifdef CHECK_THRUST
#include "thrust_checks/complex.h"
#include "thrust_checks/copying.h"
#include "thrust_checks/iterators.h"
#include "thrust_checks/numeric.h"
#include "thrust_checks/random.h"
#include "thrust_checks/searching.h"
#include "thrust_checks/sorting.h"
#else
#include "checks/algorithm.h"
#include "checks/array.h"
#include "checks/atomic.h"
#include "checks/bit.h"
#include "checks/characters.h"
#include "checks/chrono.h"
#include "checks/complex.h"
#include "checks/concepts.h"
#include "checks/functional.h"
#include "checks/iterator.h"
#include "checks/limits.h"
#include "checks/math.h"
#include "checks/memory.h"
#include "checks/numeric.h"
#include "checks/optional.h"
#include "checks/ratio.h"
#include "checks/span.h"
#include "checks/tuple.h"
#include "checks/type_traits.h"
#include "checks/utility.h"
#include "checks/variant.h"
#endif

/* Makes the values of one check; how many there are. */
__device__ inline unsigned int check_make(int number, double *values)
{
    struct check_values out = {values, 0};
    switch (number) {
#define CHECK_CASE(name)                                                                                     \
    case CHECK_##name:                                                                                       \
        check_##name(out);                                                                                   \
        break;
        CHECKS(CHECK_CASE)
#undef CHECK_CASE
    }
    return out.count;
}

#endif
#endif
