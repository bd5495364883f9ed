// SPDX-License-Identifier: Apache-2.0
// Jumps between functions.
#if !defined(CUBINET_HOST_C_SETJMP_H) && __cplusplus >= 201402L
#define CUBINET_HOST_C_SETJMP_H

#include "functions.h"

#ifdef __aarch64__
_CUBINET_HOST_C_TYPE(__cubinet_jmp_buf, long, 39)
#else
_CUBINET_HOST_C_TYPE(__cubinet_jmp_buf, long, 25)
#endif
typedef __cubinet_jmp_buf jmp_buf[1];
typedef __cubinet_jmp_buf sigjmp_buf[1];
namespace std
{
using ::jmp_buf;
} // namespace std

#endif
