/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/expression.h"

#include "base/array.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

cubinet_status expression_set(struct expression_values *values, const char *name, int64_t value)
{
    for (size_t i = 0; i < values->count; i++) {
        if (strcmp(values->items[i].name, name) == 0) {
            values->items[i].value = value;
            return CUBINET_OK;
        }
    }
    if (strlen(name) >= EXPRESSION_NAME_SIZE) {
        return cbn_error(CUBINET_ERROR_LIMIT, "the name '%s' is longer than %d characters", name,
                         EXPRESSION_NAME_SIZE - 1);
    }
    struct expression_value *items = array_grow(values->items, values->count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    values->items = items;
    strcpy(items[values->count].name, name);
    items[values->count++].value = value;
    return CUBINET_OK;
}

void expression_values_free(struct expression_values *values)
{
    free(values->items);
    *values = (struct expression_values){0};
}
