/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect of C++ that a source is compiled as. */
#ifndef DIALECT_H
#define DIALECT_H

#include "loader/core/support/text_list.h"

#include <stdbool.h>

/* __cplusplus of a dialect's name, as in c++20 and -std=c++20. NVRTC's default is C++17. */
const char *dialect_number(const char *name);

/* Whether NVRTC's log refuses what gcc's dialect, and so nvcc, has in all dialects and NVRTC in C++20 alone:
 * designated initializers, as in {.x = 1}, and what becomes of statement expressions
 * (source/statement_expressions.h) in typeof(). */
bool dialect_is_refused(const char *log);

/* Has NVRTC compile as C++20, with __cplusplus as the options ask for, so that headers are those of that
 * dialect. */
cubinet_status dialect_raise(struct cbn_text_list *options);

/* Whether a header of the toolkit's wants C++17: cuRAND's includes libcu++ for NVRTC alone, and not for nvcc.
 */
bool dialect_is_too_old(const char *log);

/* Has NVRTC compile as C++17. */
cubinet_status dialect_renew(struct cbn_text_list *options);

#endif
