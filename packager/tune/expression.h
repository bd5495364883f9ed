/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of descriptions, such as "block.x * block.y <= 1024": integers of 64 bits, names, + - * / %,
 * comparisons, && || !, "a ? b : c", parentheses, min(a, b), max(a, b) and ceil_div(a, b).
 *
 * A division is a whole one. Comparisons give 1 or 0. What overflows, or divides by 0, is an error. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include <cubinet/status.h>

#include <stddef.h>
#include <stdint.h>

enum { EXPRESSION_NAME_SIZE = 64 };

struct expression_value {
    char name[EXPRESSION_NAME_SIZE];
    int64_t value;
};

struct expression_values {
    struct expression_value *items;
    size_t count;
};

/* Adds a name or sets it; one that is too long is CUBINET_ERROR_LIMIT. */
cubinet_status expression_set(struct expression_values *values, const char *name, int64_t value);
void expression_values_free(struct expression_values *values);

/* Whether the text is an expression of these names. CUBINET_ERROR_INVALID_ARGUMENT, and the message says at
 * which word it is none, and which names there are. */
cubinet_status expression_check(const char *text, const struct expression_values *values);

/* Its value. */
cubinet_status expression_evaluate(const char *text, const struct expression_values *values,
                                   int64_t *out_value);

#endif
