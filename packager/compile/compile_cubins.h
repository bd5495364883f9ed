/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code, which ptxas or nvJitLink assembles from PTX. */
#ifndef COMPILE_CUBINS_H
#define COMPILE_CUBINS_H

#include "compile/compile_parts.h"

/* Makes and files the cubins of one virtual architecture, each of the parts of its PTX. */
cubinet_status compile_cubins(struct compile_work *work, const struct arch_virtual *virtual,
                              const struct compile_parts *parts);

#endif
