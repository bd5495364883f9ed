/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that PTX is assembled and filed in (docs/reference/compile.md, "Parts"). */
#ifndef COMPILE_PARTS_H
#define COMPILE_PARTS_H

#include "compile/compile_work.h"
#include "ptx/splitting/ptx_split.h"

/* Cleaned PTX, and what is in it. */
struct compile_ptx {
    const char *text; /* NUL-terminated */
    size_t size;
    const struct contents *contents;
};

struct compile_parts {
    struct compile_ptx *items;
    size_t count; /* 1: the text is whole */
    struct contents *contents;
    struct ptx_parts texts;
};

/* Splits the PTX of a virtual architecture as the arguments ask, or says why not if the user wants to know.
 * The caller frees the parts, which point into `whole`. */
cubinet_status compile_parts_make(const struct compile_work *work, cubinet_target source,
                                  const struct compile_ptx *whole, struct compile_parts *out_parts);
void compile_parts_free(struct compile_parts *parts);

#endif
