/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive records of where images come from: docs/reference/format.md, "origins" and "sources". */
#include "loader/core/archive/opened.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

#include <string.h>

/* The source of an image; NULL if none is recorded. */
static const unsigned char *find_source(const struct cbn_block *block, uint32_t image)
{
    uint32_t wanted = image < cbn_block_image_count(block) ? cbn_block_first_row(block, image) : UINT32_MAX;
    for (uint32_t i = 0; i < block->origins.count; i++) {
        const unsigned char *row = cbn_row(&block->origins, i);
        if (cbn_get32(row + CBN_ORIGIN_IMAGE) == wanted) {
            return cbn_row(&block->sources, cbn_get32(row + CBN_ORIGIN_SOURCE));
        }
    }
    return NULL;
}

/* Zeros stand for a source whose digest was not taken, among others whose was. */
static void read_digests(const unsigned char *row, cubinet_origin *origin)
{
    static const uint8_t unknown[CBN_SHA256_SIZE];
    memcpy(origin->source_sha256, row + CBN_SOURCE_DIGEST, CBN_SHA256_SIZE);
    memcpy(origin->inputs_sha256, row + CBN_SOURCE_INPUTS_DIGEST, CBN_SHA256_SIZE);
    if (memcmp(origin->source_sha256, unknown, sizeof(unknown)) != 0) {
        origin->flags |= CUBINET_ORIGIN_HAS_DIGESTS;
    }
}

cubinet_status cubinet_archive_get_origin(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                          cubinet_origin *out_origin)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    const unsigned char *row = find_source(block, image);
    if (!row) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND,
                         "module '%s': it is not recorded where image number %u comes from", block->module,
                         (unsigned)image);
    }
    cubinet_origin origin = {
        .source = cbn_string_at(&block->strings, row + CBN_SOURCE_NAME),
        .options = cbn_string_at(&block->strings, row + CBN_SOURCE_OPTIONS),
        .compiler = cbn_string_at(&block->strings, row + CBN_SOURCE_COMPILER),
    };
    if (block->sources.stride >= CBN_SOURCE_SIZE_WITH_DIGESTS) {
        read_digests(row, &origin);
    }
    return cbn_sized_write(out_origin, "cubinet_origin", &origin, sizeof(origin));
}
