/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_nest.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const struct trace_span *x = a;
    const struct trace_span *y = b;
    if (x->thread != y->thread) {
        return x->thread < y->thread ? -1 : 1;
    }
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return (x->end < y->end) - (x->end > y->end);
}

/* Has a span lie in the outer one or after it; says whether it lies in it. */
static bool fit(struct trace_span *outer, struct trace_span *span)
{
    if (outer->thread != span->thread || outer->end <= span->start) {
        return false;
    }
    if (span->end > outer->end && strcmp(outer->category, "nvrtc") == 0) {
        outer->end = span->start;
        return false;
    }
    if (span->end > outer->end) {
        span->end = outer->end;
    }
    return true;
}

bool trace_nest(struct trace_span *spans, size_t count)
{
    struct trace_span **open = calloc(count + 1, sizeof(struct trace_span *));
    size_t depth = 0;
    if (!open) {
        return false;
    }
    if (count > 0) {
        qsort(spans, count, sizeof(*spans), compare);
    }
    for (size_t i = 0; i < count; i++) {
        while (depth > 0 && !fit(open[depth - 1], &spans[i])) {
            depth--;
        }
        open[depth++] = &spans[i];
    }
    free(open);
    return true;
}
