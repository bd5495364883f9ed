/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of an archive's index: docs/reference/format.md, "The index". */
#ifndef INDEX_WRITER_H
#define INDEX_WRITER_H

#include "archive/draft.h"
#include "archive/stored_image.h"
#include "base/buffer.h"
#include "origin/signing_key.h"

/* Where things lie in the file. */
struct index_places {
    uint64_t index_end;
    uint64_t archive_size;
};

struct index_options {
    int zstd_level; /* 0: an index that every reader reads; 1 to 19: the modules' blocks are compressed */
    const struct signing_key *keys; /* that sign it */
    size_t key_count;
};

/* Appends the index of a draft to `out_index`, which is empty.
 *
 * stored: every image of every module, in the draft's order
 *
 * The places do not change how long the index is, so one made with others tells where everything comes to
 * lie. The offsets in `stored` may do so. */
cubinet_status index_write(const struct draft *draft, const struct stored_image *stored,
                           const struct index_places *places, const struct index_options *options,
                           struct buffer *out_index);

/* Fills in the signatures of a root that is complete but for them and for its digest. Their rows have the
 * keys' numbers, in that order. */
cubinet_status index_sign(unsigned char *root, size_t size, const struct signing_key *keys, size_t count);

#endif
