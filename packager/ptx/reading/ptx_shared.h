/* SPDX-License-Identifier: Apache-2.0 */
/* How much static shared memory a kernel in PTX takes, as far as PTX tells. */
#ifndef PTX_SHARED_H
#define PTX_SHARED_H

#include "loader/link/ptx_statement.h"
#include "ptx/reading/ptx_table.h"

/* The shared variables of module scope: functions refer to them by name. */
struct ptx_shared {
    struct ptx_table sizes; /* the statically sized ones */
    bool dynamic;           /* the module declares dynamic shared memory */
};

/* Zero-initialise to start. False if memory is out. */
bool ptx_shared_add(struct ptx_shared *shared, const struct cbn_ptx_declarator *declarator);
void ptx_shared_free(struct ptx_shared *shared);

/* Static shared bytes of a kernel with this body, if the module declares no dynamic shared memory: ptxas
 * rounds the size of a kernel's static part, if it has one, up to the alignment of the dynamic part.
 * CUBINET_UNKNOWN if it calls functions, which may use some too, if it uses more than one variable, for which
 * ptxas chooses the layout, or if it lets ptxas spill there. */
uint32_t ptx_shared_bytes(const struct ptx_shared *shared, struct cbn_ptx_lexer body);

#endif
