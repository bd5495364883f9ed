/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks of a function are on every way to which others. */
#ifndef PTX_FLOW_H
#define PTX_FLOW_H

#include "ptx/addresses/ptx_code.h"

struct ptx_flow {
    uint32_t block_count;
    /* The last block, other than itself, that is on every way to a block: its immediate dominator. PTX_NONE
     * for the first block and for one that no way leads to. */
    uint32_t *dominator;
    /* When a walk over the tree of dominators comes to a block and when it has left it. */
    uint32_t *entered;
    uint32_t *left;
    /* The blocks where ways from a block meet ways around it: its dominance frontier, rows
     * frontier_start[block] up to frontier_start[block + 1]. */
    uint32_t *frontier_start;
    uint32_t *frontier;
    bool failed; /* memory is out, or the function is too tangled to be worth it */
};

/* The caller frees it, whatever the outcome. */
struct ptx_flow ptx_flow_of(const struct ptx_code *code);
void ptx_flow_free(struct ptx_flow *flow);

/* Whether `block` is on every way to `other`, and some way leads there. A block dominates itself. */
bool ptx_flow_dominates(const struct ptx_flow *flow, uint32_t block, uint32_t other);

#endif
