/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet verify` finds, a line each. */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include "base/buffer.h"

#include <stddef.h>

struct problems {
    struct buffer lines; /* each with its NUL */
    size_t count;
};

/* Zero-initialise to start. */
__attribute__((format(printf, 2, 3))) void problems_add(struct problems *problems, const char *format, ...);

/* The line after `line`, or the first for NULL; NULL after the last. */
const char *problems_next(const struct problems *problems, const char *line);

void problems_free(struct problems *problems);

#endif
