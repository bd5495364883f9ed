/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow one element at a time. */
#ifndef ARRAY_H
#define ARRAY_H

#include <stddef.h>

/* Room for one more element after `count` of them: the array, which may have moved, or NULL if memory is out,
 * and then it is as it was. Room doubles at every power of two, so the count alone tells how much there is:
 * an array grows by this function only, from NULL and 0 on. */
void *array_grow(void *elements, size_t count, size_t element_size);

#endif
