/* SPDX-License-Identifier: Apache-2.0 */
/* Spills: registers that code writes to local memory, and reads back, because it has too few of them. ptxas
 * notes the instructions that do so; docs/internals/cubin.md says how this was established. */
#ifndef CBN_SPILLS_H
#define CBN_SPILLS_H

#include "loader/link/nv_info.h"

#include <stdbool.h>

/* Bytes for each thread, of every instruction once. */
struct cbn_spills {
    uint32_t store_bytes;
    uint32_t load_bytes;
};

/* Whether the instructions of that architecture (10 * major + minor) are known. */
bool cbn_spills_are_readable(int number);

/* Adds what an ANNOTATIONS record notes about `code` to `spills`. False if it notes an instruction that is
 * not there; `spills` is then unusable. */
bool cbn_spills_add(const struct cbn_nv_info_record *annotations, const unsigned char *code,
                    uint64_t code_size, struct cbn_spills *spills);

#endif
