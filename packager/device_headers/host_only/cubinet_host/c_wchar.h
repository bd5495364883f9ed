// SPDX-License-Identifier: Apache-2.0
// Wide characters.
#if !defined(CUBINET_HOST_C_WCHAR_H) && __cplusplus >= 201402L
#define CUBINET_HOST_C_WCHAR_H

#include "functions.h"

typedef unsigned int wint_t;
typedef unsigned long wctype_t;
typedef const int *wctrans_t;
_CUBINET_HOST_C_TYPE(mbstate_t, int, 2)
namespace std
{
using ::mbstate_t;
using ::wctype_t;
using ::wint_t;
} // namespace std

#define WEOF 0xffffffffu

_CUBINET_HOST_C_FUNCTION(btowc)
_CUBINET_HOST_C_FUNCTION(fgetwc)
_CUBINET_HOST_C_FUNCTION(fgetws)
_CUBINET_HOST_C_FUNCTION(fputwc)
_CUBINET_HOST_C_FUNCTION(fputws)
_CUBINET_HOST_C_FUNCTION(fwprintf)
_CUBINET_HOST_C_FUNCTION(iswalnum)
_CUBINET_HOST_C_FUNCTION(iswalpha)
_CUBINET_HOST_C_FUNCTION(iswdigit)
_CUBINET_HOST_C_FUNCTION(iswlower)
_CUBINET_HOST_C_FUNCTION(iswspace)
_CUBINET_HOST_C_FUNCTION(iswupper)
_CUBINET_HOST_C_FUNCTION(mbrlen)
_CUBINET_HOST_C_FUNCTION(mbrtowc)
_CUBINET_HOST_C_FUNCTION(mbsrtowcs)
_CUBINET_HOST_C_FUNCTION(swprintf)
_CUBINET_HOST_C_FUNCTION(towlower)
_CUBINET_HOST_C_FUNCTION(towupper)
_CUBINET_HOST_C_FUNCTION(wcrtomb)
_CUBINET_HOST_C_FUNCTION(wcscat)
_CUBINET_HOST_C_FUNCTION(wcschr)
_CUBINET_HOST_C_FUNCTION(wcscmp)
_CUBINET_HOST_C_FUNCTION(wcscpy)
_CUBINET_HOST_C_FUNCTION(wcslen)
_CUBINET_HOST_C_FUNCTION(wcsncmp)
_CUBINET_HOST_C_FUNCTION(wcsncpy)
_CUBINET_HOST_C_FUNCTION(wcsrchr)
_CUBINET_HOST_C_FUNCTION(wcsstr)
_CUBINET_HOST_C_FUNCTION(wcstod)
_CUBINET_HOST_C_FUNCTION(wcstol)
_CUBINET_HOST_C_FUNCTION(wmemcpy)
_CUBINET_HOST_C_FUNCTION(wmemset)
_CUBINET_HOST_C_FUNCTION(wprintf)

#endif
