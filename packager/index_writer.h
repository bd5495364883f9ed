/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of an archive's index: docs/format.md, "The index". */
#ifndef INDEX_WRITER_H
#define INDEX_WRITER_H

#include "buffer.h"
#include "draft.h"
#include "stored_image.h"

/* Appends the index of a draft to `out_index`, which is empty.
 *
 * stored: every image of every module, in the draft's order
 * archive_size: of the whole file
 *
 * Neither archive_size nor the offsets in `stored` change how long the index is, so one made with zeros tells
 * where everything comes to lie. */
cubinet_status index_write(const struct draft *draft, const struct stored_image *stored,
                           uint64_t archive_size, struct buffer *out_index);

#endif
