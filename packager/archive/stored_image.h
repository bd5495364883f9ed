/* SPDX-License-Identifier: Apache-2.0 */
/* An image as an archive stores it: perhaps compressed, with its digest. */
#ifndef STORED_IMAGE_H
#define STORED_IMAGE_H

#include "archive/image_plan.h"
#include "loader/core/archive/digest.h"

#include <cubinet/archive.h>

struct stored_image {
    const struct draft_image *image;
    cubinet_encoding encoding;
    uint32_t base_module; /* with the encoding that has a base: where that is in the draft */
    uint32_t base_image;
    uint32_t base_part;
    const void *data; /* the draft's own bytes, or `frame` */
    size_t size;
    void *frame;
    struct cbn_digest digest;
    unsigned char seal[CBN_SEAL_SIZE]; /* of an archive that is signed */
    uint64_t offset; /* of its data from the end of the index; filled in when that is known */
};

/* Stores an image of the plan, which is the same as no other, at that level; 0: as it is. What does not get
 * smaller is stored as it is. The draft must outlive the result, which the caller frees. */
cubinet_status stored_image_make(const struct image_plan *plan, size_t place, struct frame_packer *packer,
                                 int zstd_level, struct stored_image *out_stored);
void stored_image_free(struct stored_image *stored);

/* The raw bytes of an image or a part, in memory of their own: digest checked, decompressed. The caller frees
 * them. */
cubinet_status part_read(const cubinet_archive *archive, uint32_t module, uint32_t image, uint32_t part,
                         unsigned char **out_data, size_t *out_size);
cubinet_status image_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                          unsigned char **out_data, size_t *out_size);

#endif
