/* SPDX-License-Identifier: Apache-2.0 */
#include "stored_image.h"

#include "entry_name.h"
#include "error.h"

#include <stdlib.h>
#include <zstd.h>

/* One frame with its content size and, since the index has a digest, no checksum. One thread: the bytes must
 * not depend on how many there are. */
static cubinet_status compress(const struct draft_image *image, int level, struct stored_image *stored)
{
    size_t bound = ZSTD_compressBound(image->size);
    void *frame = malloc(bound);
    if (!frame) {
        return cbn_error_memory();
    }
    size_t size = ZSTD_compress(frame, bound, image->data, image->size, level);
    if (ZSTD_isError(size)) {
        free(frame);
        return cbn_error(CUBINET_ERROR_OUT_OF_MEMORY, "cannot compress an image: %s",
                         ZSTD_getErrorName(size));
    }
    if (size >= image->size) {
        free(frame);
        return CUBINET_OK;
    }
    stored->frame = frame;
    stored->data = frame;
    stored->size = size;
    stored->encoding = CUBINET_ENCODING_ZSTD;
    return CUBINET_OK;
}

cubinet_status stored_image_make(const char *module, const struct draft_image *image, int zstd_level,
                                 struct stored_image *out_stored)
{
    struct stored_image stored = {
        .image = image, .encoding = CUBINET_ENCODING_RAW, .data = image->data, .size = image->size};
    cubinet_status status = CUBINET_OK;
    /* LTO-IR is compressed in itself. */
    if (zstd_level > 0 && image->target.kind != CUBINET_IMAGE_LTOIR) {
        status = compress(image, zstd_level, &stored);
    }
    if (status == CUBINET_OK) {
        status = entry_name(module, image->target, stored.encoding, &stored.entry);
    }
    if (status) {
        stored_image_free(&stored);
        return status;
    }
    stored.digest = cbn_digest(stored.data, stored.size);
    *out_stored = stored;
    return CUBINET_OK;
}

void stored_image_free(struct stored_image *stored)
{
    free(stored->frame);
    free(stored->entry);
    *stored = (struct stored_image){0};
}
