/* SPDX-License-Identifier: Apache-2.0 */
/* What a fragment's source is given after its last line, so that the compiler makes the functions that it
 * exports, and tells their lowered names: NVRTC's name expressions take kernels and variables alone. */
#ifndef FRAGMENT_TEXT_H
#define FRAGMENT_TEXT_H

#include "loader/core/support/text_list.h"

#include <stdbool.h>

struct fragment_names {
    const struct cbn_text_list *exports; /* as the user wrote them */
    const struct cbn_text_list *imports;
};

/* The source with an explicit instantiation of each export that is an instance of a template. `name_them`:
 * and with a variable for each name, from which fragment_text_lowered() reads it. Such variables would stay
 * in finished code, so that is for a compile whose result is only read. The caller frees `out_text`. */
cubinet_status fragment_text_make(const char *source, const struct fragment_names *names, bool name_them,
                                  char **out_text);

/* The lowered name that PTX of that text has for the i-th export or import, which the caller frees. NULL in
 * `out_name`, and no error, if it has none. */
cubinet_status fragment_text_lowered(const char *ptx, size_t size, bool is_export, size_t i,
                                     const char *expression, char **out_name);

/* What the compiler has against a name. */
struct fragment_refusal {
    const char *expression;
    bool is_export;
    const char *because; /* in the log, without its end of line */
    size_t because_size;
};

/* Whether the first error in NVRTC's log is about one of the names. */
bool fragment_text_refused(const char *log, const struct fragment_names *names,
                           struct fragment_refusal *out_refusal);

#endif
