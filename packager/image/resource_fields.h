/* SPDX-License-Identifier: Apache-2.0 */
/* The members of cubinet_kernel_resources by name, so that what shows them and what compares them is one
 * list. Parameters are apart. */
#ifndef RESOURCE_FIELDS_H
#define RESOURCE_FIELDS_H

#include <cubinet/archive.h>

#include <stddef.h>

struct resource_field {
    const char *name; /* the member's */
    size_t offset;    /* of its first number */
    size_t count;     /* 1, or 3 for x, y and z */
};

extern const struct resource_field resource_fields[];
extern const size_t resource_field_count;

/* The `i`-th number of a field. */
uint32_t resource_value(const cubinet_kernel_resources *resources, const struct resource_field *field,
                        size_t i);

#endif
