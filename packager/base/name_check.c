/* SPDX-License-Identifier: Apache-2.0 */
#include "base/name_check.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <stddef.h>
#include <string.h>

cubinet_status name_check(const char *what, const char *name)
{
    if (name[0] == '\0') {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s is empty", what);
    }
    size_t size = strlen(name);
    size_t plain = cbn_text_plain(name, size, 0);
    if (plain == size) {
        return CUBINET_OK;
    }
    if (cbn_text_character(name + plain, size - plain) == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s, '%s', is not UTF-8", what, name);
    }
    char escape[CBN_TEXT_ESCAPE_SIZE];
    cbn_text_escape(name + plain, size - plain, escape);
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s has a control character: %s at offset %zu", what,
                     escape, plain);
}
