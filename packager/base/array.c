/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"

#include <stdlib.h>

void *array_grow(void *elements, size_t count, size_t element_size)
{
    if ((count & (count - 1)) != 0) {
        return elements;
    }
    size_t capacity = count ? count * 2 : 1;
    return capacity > count ? reallocarray(elements, capacity, element_size) : NULL;
}
