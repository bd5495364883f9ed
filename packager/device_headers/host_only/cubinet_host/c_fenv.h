// SPDX-License-Identifier: Apache-2.0
// Rounding modes.
#if !defined(CUBINET_HOST_C_FENV_H) && __cplusplus >= 201402L
#define CUBINET_HOST_C_FENV_H

#include "functions.h"

#ifdef __aarch64__
_CUBINET_HOST_C_TYPE(fenv_t, int, 2)
typedef unsigned int fexcept_t;
#else
_CUBINET_HOST_C_TYPE(fenv_t, int, 8)
typedef unsigned short fexcept_t;
#endif
namespace std
{
using ::fenv_t;
using ::fexcept_t;
} // namespace std

#define FE_INVALID    1
#define FE_DIVBYZERO  4
#define FE_OVERFLOW   8
#define FE_UNDERFLOW  16
#define FE_INEXACT    32
#define FE_ALL_EXCEPT 61
#define FE_TONEAREST  0
#define FE_DOWNWARD   0x400
#define FE_UPWARD     0x800
#define FE_TOWARDZERO 0xc00

_CUBINET_HOST_C_FUNCTION(feclearexcept)
_CUBINET_HOST_C_FUNCTION(fegetenv)
_CUBINET_HOST_C_FUNCTION(fegetround)
_CUBINET_HOST_C_FUNCTION(feholdexcept)
_CUBINET_HOST_C_FUNCTION(feraiseexcept)
_CUBINET_HOST_C_FUNCTION(fesetenv)
_CUBINET_HOST_C_FUNCTION(fesetround)
_CUBINET_HOST_C_FUNCTION(fetestexcept)

#endif
