/* SPDX-License-Identifier: Apache-2.0 */
/* LTO-IR of one virtual architecture, filed for every target that was asked for. */
#ifndef COMPILE_LTOIR_H
#define COMPILE_LTOIR_H

#include "compile/compile_work.h"

cubinet_status compile_ltoir(struct compile_work *work, const struct arch_virtual *virtual);

#endif
