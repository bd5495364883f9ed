// SPDX-License-Identifier: Apache-2.0
// Locales of C.
#if !defined(CUBINET_HOST_C_LOCALE_H) && __cplusplus >= 201402L
#define CUBINET_HOST_C_LOCALE_H

#include "functions.h"

struct lconv {
    char *decimal_point;
    char *thousands_sep;
    void *__more[10];
};
typedef struct __locale_struct *locale_t;
namespace std
{
using ::lconv;
} // namespace std

#define LC_CTYPE    0
#define LC_NUMERIC  1
#define LC_TIME     2
#define LC_COLLATE  3
#define LC_MONETARY 4
#define LC_MESSAGES 5
#define LC_ALL      6

_CUBINET_HOST_C_FUNCTION(localeconv)
_CUBINET_HOST_C_FUNCTION(setlocale)

#endif
