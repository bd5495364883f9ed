/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/names/readable.h"

#include <string.h>

size_t cubinet_name_readable(const char *name, char *text, size_t capacity)
{
    struct cbn_readable *readable = name ? cbn_readable_new() : NULL;
    const char *full = readable ? cbn_readable_full(readable, name) : NULL;
    size_t size = full ? strlen(full) : 0;
    if (capacity > 0) {
        size_t kept = size < capacity ? size : capacity - 1;
        if (kept > 0) {
            memcpy(text, full, kept);
        }
        text[kept] = '\0';
    }
    cbn_readable_free(readable);
    return size;
}
