// SPDX-License-Identifier: Apache-2.0
// Variable arguments, which device functions do not have.
#if !defined(CUBINET_HOST_C_STDARG_H) && __cplusplus >= 201402L
#define CUBINET_HOST_C_STDARG_H

#include "functions.h"

// The type is NVRTC's own.
namespace std
{
using ::va_list;
} // namespace std

#define va_start(list, last) _CUBINET_NO_VARIABLE_ARGUMENTS
#define va_end(list)         _CUBINET_NO_VARIABLE_ARGUMENTS
#define va_copy(to, from)    _CUBINET_NO_VARIABLE_ARGUMENTS
#define va_arg(list, type)   _CUBINET_NO_VARIABLE_ARGUMENTS

#endif
