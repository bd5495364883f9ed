/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a block's tables that are about an image. */
#include "loader/core/archive/block.h"

const unsigned char *cbn_block_piece(const struct cbn_block *block, uint32_t wanted)
{
    return cbn_find_row(&block->pieces, CBN_PIECE_IMAGE, wanted);
}

const unsigned char *cbn_block_resources(const struct cbn_block *block, uint32_t image, uint32_t kernel)
{
    if (block->parts) {
        return cbn_parts_resources(block, image, kernel);
    }
    uint64_t wanted = (uint64_t)image << 32 | kernel;
    uint32_t low = 0;
    uint32_t high = block->resources.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const unsigned char *row = cbn_row(&block->resources, middle);
        uint64_t pair =
            (uint64_t)cbn_get32(row + CBN_RESOURCE_IMAGE) << 32 | cbn_get32(row + CBN_RESOURCE_KERNEL);
        if (pair == wanted) {
            return row;
        }
        if (wanted < pair) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}
