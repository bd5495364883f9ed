/* SPDX-License-Identifier: Apache-2.0 */
/* Headers that nvcc includes before every source, and that NVRTC does not. Including them costs a small
 * source a quarter of its time, and makes it depend on every folder of headers, so a source that has nothing
 * to do with headers is first compiled without them. */
#ifndef IMPLICIT_HEADERS_H
#define IMPLICIT_HEADERS_H

#include "string_list.h"

#include <stdbool.h>

/* Whether the source or the options include anything. Where they do, a second pass over headers would cost
 * more than these do; where they don't, a source that compiles without them means the same with them. */
bool implicit_headers_pay(const char *source, const struct string_list *options);

#endif
