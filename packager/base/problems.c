/* SPDX-License-Identifier: Apache-2.0 */
#include "base/problems.h"

#include <string.h>

void problems_add(struct problems *problems, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buffer_vprintf(&problems->lines, format, args);
    va_end(args);
    buffer_append(&problems->lines, "", 1);
    problems->count++;
}

const char *problems_next(const struct problems *problems, const char *line)
{
    const char *next = line ? line + strlen(line) + 1 : problems->lines.data;
    return next && next < problems->lines.data + problems->lines.size ? next : NULL;
}

void problems_free(struct problems *problems)
{
    buffer_free(&problems->lines);
    problems->count = 0;
}
