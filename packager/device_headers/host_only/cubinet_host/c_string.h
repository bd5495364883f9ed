// SPDX-License-Identifier: Apache-2.0
// Functions for strings that device code does not have.
#if !defined(CUBINET_HOST_C_STRING_H) && __cplusplus >= 201402L
#define CUBINET_HOST_C_STRING_H

#include "functions.h"

_CUBINET_HOST_C_FUNCTION(strcoll)
_CUBINET_HOST_C_FUNCTION(strerror)
_CUBINET_HOST_C_FUNCTION(strpbrk)
_CUBINET_HOST_C_FUNCTION(strtok)
_CUBINET_HOST_C_FUNCTION(strxfrm)
_CUBINET_HOST_FUNCTION(memccpy)
_CUBINET_HOST_FUNCTION(mempcpy)
_CUBINET_HOST_FUNCTION(stpcpy)
_CUBINET_HOST_FUNCTION(strcasecmp)
_CUBINET_HOST_FUNCTION(strcasestr)
_CUBINET_HOST_FUNCTION(strdup)
_CUBINET_HOST_FUNCTION(strncasecmp)
_CUBINET_HOST_FUNCTION(strndup)
_CUBINET_HOST_FUNCTION(strnlen)
_CUBINET_HOST_FUNCTION(strsep)
_CUBINET_HOST_FUNCTION(strsignal)
_CUBINET_HOST_FUNCTION(strtok_r)

#endif
