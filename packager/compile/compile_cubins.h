/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code, which ptxas or nvJitLink assembles from PTX. */
#ifndef COMPILE_CUBINS_H
#define COMPILE_CUBINS_H

#include "compile/compile_work.h"

/* Cleaned PTX, and what is in it. */
struct compile_ptx {
    const char *text; /* NUL-terminated */
    size_t size;
    const struct contents *contents;
};

/* Makes and files the cubins of one virtual architecture. */
cubinet_status compile_cubins(struct compile_work *work, const struct arch_virtual *virtual,
                              const struct compile_ptx *ptx);

#endif
