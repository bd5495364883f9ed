/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of launch records: docs/reference/format.md, "launches". */
#ifndef LAUNCH_TABLES_H
#define LAUNCH_TABLES_H

#include "archive/draft.h"
#include "archive/table_writer.h"

/* Adds a row for each kernel of an image of which something is known. Rows of the resource table are those of
 * the images' uses, in order. */
void launch_tables_add(struct table_set *set, struct buffer *strings, const struct draft_module *module);

#endif
