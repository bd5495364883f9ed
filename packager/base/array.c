/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void *array_grow(void *elements, size_t count, size_t element_size)
{
    if ((count & (count - 1)) != 0) {
        return elements;
    }
    size_t capacity = count ? count * 2 : 1;
    return capacity > count ? reallocarray(elements, capacity, element_size) : NULL;
}

void *array_open(void *elements, size_t count, size_t element_size, size_t place)
{
    char *larger = array_grow(elements, count, element_size);
    if (larger) {
        char *gap = larger + place * element_size;
        memmove(gap + element_size, gap, (count - place) * element_size);
    }
    return larger;
}

bool array_find(const void *elements, size_t count, size_t element_size, const void *key,
                int (*compare)(const void *key, const void *element), size_t *out_place)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(key, (const char *)elements + middle * element_size);
        if (order == 0) {
            *out_place = middle;
            return true;
        }
        low = order < 0 ? low : middle + 1;
        high = order < 0 ? middle : high;
    }
    *out_place = low;
    return false;
}
