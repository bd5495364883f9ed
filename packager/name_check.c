/* SPDX-License-Identifier: Apache-2.0 */
#include "name_check.h"

#include "error.h"
#include "utf8.h"

#include <stddef.h>

cubinet_status name_check(const char *what, const char *name)
{
    if (name[0] == '\0') {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s is empty", what);
    }
    for (const char *at = name; *at; at++) {
        if ((unsigned char)*at < ' ' || *at == '\x7f') {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                             "%s has a control character: byte 0x%02x at offset %zu", what,
                             (unsigned char)*at, (size_t)(at - name));
        }
    }
    if (!utf8_valid(name)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s, '%s', is not UTF-8", what, name);
    }
    return CUBINET_OK;
}
