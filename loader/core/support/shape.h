/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of blocks and grids for an extent of elements. */
#ifndef CBN_SHAPE_H
#define CBN_SHAPE_H

#include <stdint.h>

/* What a grid covers, and in which pieces. */
struct cbn_grid_request {
    uint64_t extent[3];    /* elements, at least 1 each */
    uint64_t per_block[3]; /* elements that a block covers in one round, at least 1 each */
    uint32_t unit[3];      /* a grid's sides are multiples of these (its cluster), at least 1 each */
    uint32_t limit[3];     /* the longest sides; at least `unit` */
};

/* Shapes a block of so many threads: a warp wide (or as wide as the extent), then high, then deep, as far as
 * the extent is; what is left over makes it wider. Its volume is `threads`. */
void cbn_shape_block(uint32_t threads, uint32_t warp, const uint64_t extent[3], const uint32_t limit[3],
                     uint32_t out_block[3]);

/* The grid that covers the extent in one round, as far as the limits let it. */
void cbn_shape_grid(const struct cbn_grid_request *request, uint32_t out_grid[3]);

/* Shortens a grid, its last sides first, until it has no more than so many blocks or is one unit. */
void cbn_shape_shrink(const struct cbn_grid_request *request, uint64_t blocks, uint32_t grid[3]);

/* How often the grid has to be gone over along one axis to cover the extent. */
uint64_t cbn_shape_rounds(const struct cbn_grid_request *request, const uint32_t grid[3], int axis);

/* Blocks in a grid. */
uint64_t cbn_shape_blocks(const uint32_t grid[3]);

#endif
