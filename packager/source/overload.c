/* SPDX-License-Identifier: Apache-2.0 */
#include "source/overload.h"

#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the parameters start: the parenthesis that the last one closes. NULL if the expression does not end
 * with one. */
static const char *parameters_of(const char *expression, const char *end)
{
    size_t depth = 0;
    for (const char *at = end; at > expression; at--) {
        depth += at[-1] == ')';
        depth -= at[-1] == '(';
        if (depth == 0) {
            return at[-1] == '(' ? at - 1 : NULL;
        }
    }
    return NULL;
}

/* Whether a name ends there, and the expression is not a cast already. */
static bool is_name(const char *expression, const char *end)
{
    static const char cast[] = "_cast<";
    bool ends = end > expression && (isalnum((unsigned char)end[-1]) || end[-1] == '_' || end[-1] == '>');
    return ends && expression[0] != '(' &&
           !memmem(expression, (size_t)(end - expression), cast, strlen(cast));
}

static const char *without_space(const char *expression, const char *end)
{
    while (end > expression && isspace((unsigned char)end[-1])) {
        end--;
    }
    return end;
}

cubinet_status overload_cast(const char *expression, char **out_expression)
{
    const char *end = without_space(expression, expression + strlen(expression));
    const char *parameters = parameters_of(expression, end);
    const char *name_end = parameters ? without_space(expression, parameters) : NULL;
    char *made = NULL;
    if (!parameters || !is_name(expression, name_end)) {
        made = strdup(expression);
    } else if (asprintf(&made, "static_cast<void (*)%.*s>(%.*s)", (int)(end - parameters), parameters,
                        (int)(name_end - expression), expression) < 0) {
        made = NULL;
    }
    *out_expression = made;
    return made ? CUBINET_OK : cbn_error_memory();
}
