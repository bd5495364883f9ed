/* SPDX-License-Identifier: Apache-2.0 */
/* An image as an archive stores it: perhaps compressed, with its digest and the name of its zip entry. */
#ifndef STORED_IMAGE_H
#define STORED_IMAGE_H

#include "digest.h"
#include "draft.h"

#include <cubinet/archive.h>

struct stored_image {
    const struct draft_image *image;
    cubinet_encoding encoding;
    const void *data; /* the draft's own bytes, or `frame` */
    size_t size;
    void *frame;
    struct cbn_digest digest;
    char *entry;
    uint64_t offset; /* of its data in the archive; filled in when that is known */
};

/* zstd_level: 0 stores the image as it is, 1 to 19 as a zstd frame if that is smaller. The draft must outlive
 * the result, which the caller frees. */
cubinet_status stored_image_make(const char *module, const struct draft_image *image, int zstd_level,
                                 struct stored_image *out_stored);
void stored_image_free(struct stored_image *stored);

#endif
