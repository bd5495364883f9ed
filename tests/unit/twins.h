/* SPDX-License-Identifier: Apache-2.0 */
/* Two texts that the digest which finds damage takes for one (XXH3-128 can be computed backwards), and that
 * mean different things: what must never be told apart by it is told apart in tests by these. */
#ifndef TWINS_H
#define TWINS_H

#include <stddef.h>

struct twins {
    char *first; /* each with a NUL after it */
    char *second;
    size_t size;
};

/* Both start with a comment. In the first it ends before `hidden`, in the second after it; `common` comes
 * after it in both. The caller frees them with twins_free(). Failing to make them ends the program. */
struct twins twins_make(const char *hidden, const char *common);
void twins_free(struct twins *twins);

#endif
