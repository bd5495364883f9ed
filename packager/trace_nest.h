/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of a thread that lie in each other or apart: viewers drop those that overlap otherwise. */
#ifndef TRACE_NEST_H
#define TRACE_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_span {
    const char *category;
    char *name;
    char *detail; /* NULL: none */
    pid_t thread;
    int64_t start;
    int64_t end;
};

/* Sorts spans by thread and start, those that hold others before them, and cuts what overlaps in part. Of two
 * the one of category "nvrtc" is cut: NVRTC's clock starts some microseconds after ours. False if memory is
 * out. */
bool trace_nest(struct trace_span *spans, size_t count);

#endif
