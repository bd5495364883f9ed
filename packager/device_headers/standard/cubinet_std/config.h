// SPDX-License-Identifier: Apache-2.0
// What the C++ headers of this folder share.
#ifndef CUBINET_STD_CONFIG_H
#define CUBINET_STD_CONFIG_H

// This folder stands in for the standard library, of which NVRTC has nothing. Its names are ordinary
// functions and templates in namespace std, and need nothing else: no libcu++, no cuda_fp16.h. What is not
// the standard's own starts with two underscores, or one and a capital letter, so that users' macros don't
// meet it.

#if __cplusplus < 201402L
#error "the headers of the C++ standard library need C++14: compile with -std=c++14 or later"
#endif

// Written out at each function, constructors too: NVRTC 12.0 takes inherited ones for host code.
#define _CUBINET_HD __host__ __device__

#if __cplusplus >= 201703L
#define _CUBINET_INLINE_VARIABLE inline constexpr
#else
#define _CUBINET_INLINE_VARIABLE constexpr
#endif

// Builtins that not every NVRTC has.
#ifdef __has_builtin
#if __has_builtin(__builtin_bit_cast)
#define _CUBINET_HAS_BIT_CAST 1
#endif
#if __has_builtin(__builtin_addressof)
#define _CUBINET_HAS_ADDRESSOF 1
#endif
#endif

#include "../cstddef"

#endif
