/* SPDX-License-Identifier: Apache-2.0 */
/* The name nearest to one that was not found, for messages. */
#ifndef CBN_NEAREST_H
#define CBN_NEAREST_H

#include <stddef.h>

struct cbn_nearest {
    const char *wanted;
    size_t wanted_size;
    const char *name; /* the nearest so far */
    size_t distance;  /* edits from it to the wanted name */
};

/* `wanted` must live until the search ends; only its first CBN_NEAREST_MAX bytes are compared. */
enum { CBN_NEAREST_MAX = 256 };
void cbn_nearest_start(struct cbn_nearest *nearest, const char *wanted, size_t wanted_size);
void cbn_nearest_offer(struct cbn_nearest *nearest, const char *name);

/* The nearest name offered, or NULL if none is near enough to be meant. */
const char *cbn_nearest_found(const struct cbn_nearest *nearest);

#endif
