/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code of the parts of a link. */
#ifndef LINK_CODE_H
#define LINK_CODE_H

#include "link/link_parts.h"
#include "link/link_work.h"

struct link_code {
    struct draft_part *items; /* one for each part, with contents that are the code's */
    struct contents *contents;
    size_t count;
    const char
        *extra; /* what nvJitLink left in a part of others, or left out: the parts are of no use; NULL */
};

/* A part without functions is assembled, side by side with
 * others; nvJitLink (13.0) does not inline functions of PTX, so one with functions is linked again, of the
 * pieces' LTO-IR, with its kernels alone. The caller frees the code, whatever the outcome. */
cubinet_status link_code_make(const struct link_work *work, cubinet_target target,
                              const struct cbn_nvjitlink *nvjitlink, const struct link_parts *parts,
                              struct link_code *code);
void link_code_free(struct link_code *code);

#endif
