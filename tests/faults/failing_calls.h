/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a program that can fail: counted, and one of them made to fail. Allocations are those of every
 * library in the process, in builds with sanitizers of our code alone; other calls are those of our code. */
#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The calls that can be watched, up to NULL: "malloc" stands for every allocation. */
extern const char *const failing_calls[];

/* Counts calls from here on in `count`, in every thread and child, and lets the one of that number fail, of
 * which the first is 1; 0: none.
 *
 * is_loaded_only: allocations of libraries that are opened later pass by */
void failing_calls_watch(const char *call, unsigned number, bool is_loaded_only, atomic_uint *count);

#endif
