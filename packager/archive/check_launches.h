/* SPDX-License-Identifier: Apache-2.0 */
/* What an index records of how kernels are launched against docs/reference/format.md, "launches", as far as
 * readers do not check it. */
#ifndef CHECK_LAUNCHES_H
#define CHECK_LAUNCHES_H

#include "archive/listing.h"
#include "base/problems.h"
#include "loader/core/archive/block.h"

/* Adds to `problems` what is wrong with the rows of a module's block. `minor`: of the format's version. */
void check_launches(const struct cbn_block *block, const struct listing_module *module, unsigned minor,
                    struct problems *problems);

#endif
