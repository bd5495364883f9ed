/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/stored_image.h"

#include "loader/core/archive/cbn_archive.h"

#include <stdlib.h>

static cubinet_status compress(const struct image_plan *plan, size_t place, struct frame_packer *packer,
                               int level, struct stored_image *stored)
{
    const struct planned_image *planned = &plan->images[place];
    const struct planned_image *base = planned->base == PLAN_NONE ? NULL : &plan->images[planned->base];
    struct byte_span raw = {planned->image->data, planned->image->size};
    struct byte_span prefix =
        base ? (struct byte_span){base->image->data, base->image->size} : (struct byte_span){0};
    void *frame;
    size_t size;
    cubinet_status status = frame_packer_pack(packer, raw, prefix, level, &frame, &size);
    if (status || size >= raw.size) {
        if (!status) {
            free(frame);
        }
        return status;
    }
    stored->frame = frame;
    stored->data = frame;
    stored->size = size;
    stored->encoding = base ? CUBINET_ENCODING_ZSTD_BASE : CUBINET_ENCODING_ZSTD;
    stored->base_module = base ? base->module : 0;
    stored->base_image = base ? base->number : 0;
    stored->base_part = base ? base->image->part : 0;
    return CUBINET_OK;
}

cubinet_status stored_image_make(const struct image_plan *plan, size_t place, struct frame_packer *packer,
                                 int zstd_level, struct stored_image *out_stored)
{
    const struct draft_image *image = plan->images[place].image;
    struct stored_image stored = {
        .image = image, .encoding = CUBINET_ENCODING_RAW, .data = image->data, .size = image->size};
    cubinet_status status = CUBINET_OK;
    if (zstd_level > 0 && image_plan_compresses(image)) {
        status = compress(plan, place, packer, zstd_level, &stored);
    }
    if (status) {
        return status;
    }
    stored.digest = cbn_digest(stored.data, stored.size);
    *out_stored = stored;
    return CUBINET_OK;
}

void stored_image_free(struct stored_image *stored)
{
    free(stored->frame);
    *stored = (struct stored_image){0};
}

static void hand_over(const struct cbn_image_bytes *bytes, unsigned char **out_data, size_t *out_size)
{
    *out_data = bytes->owned;
    *out_size = bytes->size;
}

cubinet_status part_read(const cubinet_archive *archive, uint32_t module, uint32_t image, uint32_t part,
                         unsigned char **out_data, size_t *out_size)
{
    struct cbn_image_bytes bytes;
    cubinet_status status = cbn_archive_take_part(archive, module, image, part, true, &bytes);
    if (!status) {
        hand_over(&bytes, out_data, out_size);
    }
    return status;
}

cubinet_status image_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                          unsigned char **out_data, size_t *out_size)
{
    struct cbn_image_bytes bytes;
    cubinet_status status = cbn_archive_take_image(archive, module, image, true, &bytes);
    if (!status) {
        hand_over(&bytes, out_data, out_size);
    }
    return status;
}
