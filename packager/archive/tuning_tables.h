/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of tuning records: docs/reference/format.md, "tuned sets", "instances", "GPUs" and "tunings". */
#ifndef TUNING_TABLES_H
#define TUNING_TABLES_H

#include "archive/draft.h"
#include "archive/table_writer.h"

cubinet_status tuning_tables_add(struct table_set *set, struct buffer *strings,
                                 const struct draft_module *module);

#endif
