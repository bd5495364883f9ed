/* SPDX-License-Identifier: Apache-2.0 */
/* What docs/reference/format.md says of an index beyond what a reader needs, and so checks itself. */
#ifndef CHECK_INDEX_H
#define CHECK_INDEX_H

#include "archive/listing.h"
#include "base/problems.h"

/* Checks the header, the places of tables in the root, pages and blocks, and what a signature covers. The
 * listing is that of the whole archive, whose modules have all been read. */
void check_index(const cubinet_archive *archive, const struct listing *listing, struct problems *problems);

#endif
