/* SPDX-License-Identifier: Apache-2.0 */
/* Images of parts: docs/reference/format.md, "parts". Outside the image table, an image's number counts the
 * images, of which each is one row of the table or, if it consists of parts, several. A module without such
 * images has no struct cbn_parts, and the numbers are the same. */
#ifndef CBN_BLOCK_PARTS_H
#define CBN_BLOCK_PARTS_H

#include "loader/core/archive/digest.h"

#include <cubinet/status.h>

struct cbn_block;

/* An image's rows of the image table, and what they have together. */
struct cbn_part_set {
    uint32_t first_row;
    uint32_t count;
    uint64_t stored_size;
    uint64_t raw_size;
    struct cbn_digest digest;
};

/* A kernel in an image, in the order of images and kernels. */
struct cbn_held_kernel {
    uint32_t image;
    uint32_t kernel;
    uint32_t resource; /* row of the resource table */
};

struct cbn_parts {
    struct cbn_part_set *images;
    uint32_t image_count;
    uint32_t *row_images;            /* for each row of the image table its image */
    struct cbn_held_kernel *kernels; /* as many as rows of the resource table */
};

/* Reads which rows of the image table are parts, if some are, and checks that. */
cubinet_status cbn_block_read_parts(struct cbn_block *block);

/* The rules for what the other tables, which were checked, say of parts. */
cubinet_status cbn_block_check_parts(struct cbn_block *block);

void cbn_parts_free(struct cbn_parts *parts);

/* The row of the resource table for a kernel in an image; NULL if there is none. */
const unsigned char *cbn_parts_resources(const struct cbn_block *block, uint32_t image, uint32_t kernel);

#endif
