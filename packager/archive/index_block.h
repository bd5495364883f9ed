/* SPDX-License-Identifier: Apache-2.0 */
/* A module's part of an index: docs/reference/format.md, "A module's block". */
#ifndef INDEX_BLOCK_H
#define INDEX_BLOCK_H

#include "archive/frame_packer.h"
#include "archive/index_writer.h"

/* An index in the making. */
struct index_writer {
    const struct draft *draft;
    const struct stored_image *stored; /* every image of every module, in the draft's order */
    const struct index_places *places;
    const struct index_options *options;
    struct frame_packer *packer;
};

/* Appends a module's block, not compressed. */
cubinet_status index_block_make(const struct index_writer *writer, const struct draft_module *module,
                                const struct stored_image *stored, struct buffer *out_block);

#endif
