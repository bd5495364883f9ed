// SPDX-License-Identifier: Apache-2.0
// The types are those of nvcc on 64-bit Linux, where 64 bits are a long: the names of kernels tell long from long long.
// libcu++ has long long for them under NVRTC, and is read as if it said the same (integer_header.h).
#ifndef CUBINET_STD_STDINT_H
#define CUBINET_STD_STDINT_H

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef signed short int16_t;
typedef unsigned short uint16_t;
typedef signed int int32_t;
typedef unsigned int uint32_t;
typedef signed long int64_t;
typedef unsigned long uint64_t;
typedef signed char int_least8_t;
typedef unsigned char uint_least8_t;
typedef signed short int_least16_t;
typedef unsigned short uint_least16_t;
typedef signed int int_least32_t;
typedef unsigned int uint_least32_t;
typedef signed long int_least64_t;
typedef unsigned long uint_least64_t;
typedef signed char int_fast8_t;
typedef unsigned char uint_fast8_t;
typedef signed short int_fast16_t;
typedef unsigned short uint_fast16_t;
typedef signed int int_fast32_t;
typedef unsigned int uint_fast32_t;
typedef signed long int_fast64_t;
typedef unsigned long uint_fast64_t;
typedef signed long intptr_t;
typedef unsigned long uintptr_t;
typedef signed long intmax_t;
typedef unsigned long uintmax_t;

#undef INT8_MIN
#undef INT8_MAX
#undef UINT8_MAX
#undef INT16_MIN
#undef INT16_MAX
#undef UINT16_MAX
#undef INT32_MIN
#undef INT32_MAX
#undef UINT32_MAX
#undef INT64_MIN
#undef INT64_MAX
#undef UINT64_MAX
#undef INT_LEAST8_MIN
#undef INT_LEAST8_MAX
#undef UINT_LEAST8_MAX
#undef INT_LEAST16_MIN
#undef INT_LEAST16_MAX
#undef UINT_LEAST16_MAX
#undef INT_LEAST32_MIN
#undef INT_LEAST32_MAX
#undef UINT_LEAST32_MAX
#undef INT_LEAST64_MIN
#undef INT_LEAST64_MAX
#undef UINT_LEAST64_MAX
#undef INT_FAST8_MIN
#undef INT_FAST8_MAX
#undef UINT_FAST8_MAX
#undef INT_FAST16_MIN
#undef INT_FAST16_MAX
#undef UINT_FAST16_MAX
#undef INT_FAST32_MIN
#undef INT_FAST32_MAX
#undef UINT_FAST32_MAX
#undef INT_FAST64_MIN
#undef INT_FAST64_MAX
#undef UINT_FAST64_MAX
#undef INTPTR_MIN
#undef INTPTR_MAX
#undef UINTPTR_MAX
#undef INTMAX_MIN
#undef INTMAX_MAX
#undef UINTMAX_MAX
#undef PTRDIFF_MIN
#undef PTRDIFF_MAX
#undef SIZE_MAX
#undef SIG_ATOMIC_MIN
#undef SIG_ATOMIC_MAX
#undef WCHAR_MIN
#undef WCHAR_MAX
#undef WINT_MIN
#undef WINT_MAX

#define INT8_MIN         (-128)
#define INT8_MAX         127
#define UINT8_MAX        255
#define INT16_MIN        (-32767 - 1)
#define INT16_MAX        32767
#define UINT16_MAX       65535
#define INT32_MIN        (-2147483647 - 1)
#define INT32_MAX        2147483647
#define UINT32_MAX       4294967295U
#define INT64_MIN        (-9223372036854775807L - 1)
#define INT64_MAX        9223372036854775807L
#define UINT64_MAX       18446744073709551615UL
#define INT_LEAST8_MIN   (-128)
#define INT_LEAST8_MAX   127
#define UINT_LEAST8_MAX  255
#define INT_LEAST16_MIN  (-32767 - 1)
#define INT_LEAST16_MAX  32767
#define UINT_LEAST16_MAX 65535
#define INT_LEAST32_MIN  (-2147483647 - 1)
#define INT_LEAST32_MAX  2147483647
#define UINT_LEAST32_MAX 4294967295U
#define INT_LEAST64_MIN  (-9223372036854775807L - 1)
#define INT_LEAST64_MAX  9223372036854775807L
#define UINT_LEAST64_MAX 18446744073709551615UL
#define INT_FAST8_MIN    (-128)
#define INT_FAST8_MAX    127
#define UINT_FAST8_MAX   255
#define INT_FAST16_MIN   (-32767 - 1)
#define INT_FAST16_MAX   32767
#define UINT_FAST16_MAX  65535
#define INT_FAST32_MIN   (-2147483647 - 1)
#define INT_FAST32_MAX   2147483647
#define UINT_FAST32_MAX  4294967295U
#define INT_FAST64_MIN   (-9223372036854775807L - 1)
#define INT_FAST64_MAX   9223372036854775807L
#define UINT_FAST64_MAX  18446744073709551615UL
#define INTPTR_MIN       (-9223372036854775807L - 1)
#define INTPTR_MAX       9223372036854775807L
#define UINTPTR_MAX      18446744073709551615UL
#define INTMAX_MIN       (-9223372036854775807L - 1)
#define INTMAX_MAX       9223372036854775807L
#define UINTMAX_MAX      18446744073709551615UL
#define PTRDIFF_MIN      (-9223372036854775807L - 1)
#define PTRDIFF_MAX      9223372036854775807L
#define SIZE_MAX         18446744073709551615UL
#define SIG_ATOMIC_MIN   (-2147483647 - 1)
#define SIG_ATOMIC_MAX   2147483647
#define WCHAR_MIN        (-2147483647 - 1)
#define WCHAR_MAX        2147483647
#define WINT_MIN         0U
#define WINT_MAX         4294967295U

#undef INT8_C
#undef INT16_C
#undef INT32_C
#undef INT64_C
#undef UINT8_C
#undef UINT16_C
#undef UINT32_C
#undef UINT64_C
#undef INTMAX_C
#undef UINTMAX_C

#define INT8_C(c)    c
#define INT16_C(c)   c
#define INT32_C(c)   c
#define INT64_C(c)   c##L
#define UINT8_C(c)   c
#define UINT16_C(c)  c
#define UINT32_C(c)  c##U
#define UINT64_C(c)  c##UL
#define INTMAX_C(c)  c##L
#define UINTMAX_C(c) c##UL

#endif
