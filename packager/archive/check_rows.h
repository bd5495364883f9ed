/* SPDX-License-Identifier: Apache-2.0 */
/* What docs/reference/format.md says of the rows of a module's block beyond what a reader needs, and so
 * checks itself.
 */
#ifndef CHECK_ROWS_H
#define CHECK_ROWS_H

#include "archive/listing.h"
#include "base/problems.h"
#include "loader/core/archive/block.h"

/* Checks the rows of a block that the reader has taken, of an archive of format 1.minor. io_names_left: for
 * check_names(). */
void check_rows(const struct cbn_block *block, const struct listing_module *module, unsigned minor,
                uint64_t *io_names_left, struct problems *problems);

#endif
