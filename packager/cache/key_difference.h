/* SPDX-License-Identifier: Apache-2.0 */
/* How two keys of the cache differ, in words. */
#ifndef KEY_DIFFERENCE_H
#define KEY_DIFFERENCE_H

#include "loader/cache/cache_key.h"

#include <stdio.h>

struct key_bytes {
    const unsigned char *bytes;
    size_t size;
};

/* How many fields one has and the other has not. */
size_t key_difference_count(struct key_bytes a, struct key_bytes b);

/* The first text of a field of that name; NULL if there is none. It is not NUL-terminated. */
const char *key_text(struct key_bytes key, const char *name, size_t *out_size);

/* Prints a line for each field that is in `wanted` alone, and for each that is in `kept` alone. */
void key_difference_print(struct key_bytes wanted, struct key_bytes kept, FILE *file);

#endif
