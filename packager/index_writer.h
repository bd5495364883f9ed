/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of an archive's index: docs/format.md, "The index". */
#ifndef INDEX_WRITER_H
#define INDEX_WRITER_H

#include "buffer.h"
#include "draft.h"
#include "stored_image.h"

/* Where things lie in the file. */
struct index_places {
    uint64_t index_end;
    uint64_t archive_size;
};

/* Appends the index of a draft to `out_index`, which is empty.
 *
 * stored: every image of every module, in the draft's order
 * zstd_level: 0 for an index that every reader reads, 1 to 19 to compress the modules' blocks
 *
 * The places do not change how long the index is, so one made with others tells where everything comes to
 * lie. The offsets in `stored` may do so. */
cubinet_status index_write(const struct draft *draft, const struct stored_image *stored,
                           const struct index_places *places, int zstd_level, struct buffer *out_index);

#endif
