/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a module's block that say where its images come from: docs/reference/format.md, "origins" and
 * "sources". */
#ifndef PROVENANCE_TABLES_H
#define PROVENANCE_TABLES_H

#include "archive/draft.h"
#include "archive/table_writer.h"

/* Images that are made of the same share a row. */
cubinet_status provenance_tables_add(struct table_set *set, struct buffer *strings,
                                     const struct draft_module *module);

#endif
