/* SPDX-License-Identifier: Apache-2.0 */
#include "source/optional_names.h"

#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"

#include <stdlib.h>
#include <string.h>

/* How NVRTC names an expression that it refuses, up to the quote at the end of the line. */
static const char refused[] = "Input name expression was: \"";

/* Whether the log names the expression as refused. */
static bool is_refused(const char *log, const char *expression)
{
    for (const char *at = strstr(log, refused); at; at = strstr(at, refused)) {
        at += sizeof(refused) - 1;
        char *line = strndup(at, strcspn(at, "\"\n"));
        bool is_same = line && cbn_expression_equal(line, expression);
        free(line);
        if (is_same) {
            return true;
        }
    }
    return false;
}

cubinet_status optional_names_keep(const char *log, const struct cbn_text_list *expressions,
                                   struct cbn_text_list *kept, bool *out_refused)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < expressions->count; i++) {
        if (!is_refused(log, expressions->items[i])) {
            status = cbn_text_list_add(kept, expressions->items[i]);
        }
    }
    *out_refused = kept->count < expressions->count;
    return status;
}

cubinet_status optional_names_spread(const struct cbn_text_list *expressions,
                                     const struct cbn_text_list *kept, struct nvrtc_result *result)
{
    char **lowered = calloc(expressions->count + 1, sizeof(*lowered));
    if (!lowered) {
        return cbn_error_memory();
    }
    size_t next = 0;
    bool failed = false;
    for (size_t i = 0; i < expressions->count; i++) {
        bool is_kept = next < kept->count && strcmp(kept->items[next], expressions->items[i]) == 0;
        lowered[i] = is_kept ? result->lowered[next++] : strdup("");
        failed |= !lowered[i];
    }
    free(result->lowered);
    result->lowered = lowered;
    result->lowered_count = expressions->count;
    return failed ? cbn_error_memory() : CUBINET_OK;
}
