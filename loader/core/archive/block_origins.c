/* SPDX-License-Identifier: Apache-2.0 */
/* The rules for what a block records of where its images come from: docs/reference/format.md, "origins" and
 * "sources".
 */
#include "loader/core/archive/block.h"
#include "loader/core/support/error.h"

#include <stdbool.h>

/* Options are one on each line. */
static bool take_source(const struct cbn_block *block, uint32_t source, uint64_t *io_room)
{
    const unsigned char *row = cbn_row(&block->sources, source);
    return cbn_take_name(&block->strings, cbn_get32(row + CBN_SOURCE_NAME), io_room) &&
           cbn_take_string(&block->strings, cbn_get32(row + CBN_SOURCE_OPTIONS), io_room) &&
           cbn_take_name(&block->strings, cbn_get32(row + CBN_SOURCE_COMPILER), io_room);
}

/* Says how many bytes a source's strings have at most. */
static cubinet_status check_sources(const struct cbn_block *block, uint64_t *out_longest)
{
    uint64_t room = cbn_string_room(block->size);
    for (uint32_t i = 0; i < block->sources.count; i++) {
        uint64_t before = room;
        if (!take_source(block, i, &room)) {
            return cbn_error(CUBINET_ERROR_DAMAGED,
                             "source %u: missing or malformed name, options or compiler", (unsigned)i);
        }
        *out_longest = before - room > *out_longest ? before - room : *out_longest;
    }
    return CUBINET_OK;
}

/* Sources are told of each of their images: see check_told() for the kernels. */
static cubinet_status check_told(struct cbn_block *block, uint64_t longest)
{
    uint64_t before = cbn_block_told_room(block);
    uint64_t room = before;
    if (longest * block->origins.count <= cbn_string_room(block->size)) {
        return CUBINET_OK;
    }
    for (uint32_t i = 0; i < block->origins.count; i++) {
        if (!take_source(block, cbn_get32(cbn_row(&block->origins, i) + CBN_ORIGIN_SOURCE), &room)) {
            return cbn_error(CUBINET_ERROR_DAMAGED, "origin %u: a source that is too long for so many images",
                             (unsigned)i);
        }
    }
    cbn_block_tell(block, before - room);
    return CUBINET_OK;
}

cubinet_status cbn_block_check_origins(struct cbn_block *block)
{
    uint32_t next = 0;
    uint64_t longest = 0;
    for (uint32_t i = 0; i < block->origins.count; i++) {
        const unsigned char *row = cbn_row(&block->origins, i);
        uint32_t image = cbn_get32(row + CBN_ORIGIN_IMAGE);
        if (image < next || image >= block->images.count ||
            cbn_get32(row + CBN_ORIGIN_SOURCE) >= block->sources.count) {
            return cbn_error(CUBINET_ERROR_DAMAGED,
                             "origin %u: out of order, or of an image or source that is not there",
                             (unsigned)i);
        }
        next = image + 1;
    }
    cubinet_status status = check_sources(block, &longest);
    return status ? status : check_told(block, longest);
}
