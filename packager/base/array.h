/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow one element at a time, and sorted ones. */
#ifndef ARRAY_H
#define ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Room for one more element after `count` of them: the array, which may have moved, or NULL if memory is out,
 * and then it is as it was. Room doubles at every power of two, so the count alone tells how much there is:
 * an array grows by this function only, from NULL and 0 on. */
void *array_grow(void *elements, size_t count, size_t element_size);

/* The same, with a gap at `place` for the element. The caller fills it. */
void *array_open(void *elements, size_t count, size_t element_size, size_t place);

/* Whether a sorted array has an element that `compare`, which gets the key first, finds equal to the key, and
 * where it is, or belongs. */
bool array_find(const void *elements, size_t count, size_t element_size, const void *key,
                int (*compare)(const void *key, const void *element), size_t *out_place);

#endif
