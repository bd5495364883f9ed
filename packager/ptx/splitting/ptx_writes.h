/* SPDX-License-Identifier: Apache-2.0 */
/* Whether code may write to a variable that should never change. */
#ifndef PTX_WRITES_H
#define PTX_WRITES_H

#include "ptx/splitting/ptx_units.h"

/* Clears `is_copied` of variables that the body of a function writes to, or whose address it leaves where
 * others find it. The address is followed through registers, as if each had it throughout the body; what
 * functions get as arguments they don't write to: those variables are literals. False if memory is out. */
bool ptx_writes_find(struct ptx_units *units, struct cbn_ptx_lexer body);

#endif
