/* SPDX-License-Identifier: Apache-2.0 */
/* What is common to the ways of images into a draft. */
#ifndef DRAFT_PUT_H
#define DRAFT_PUT_H

#include "archive/draft.h"

/* An image's bytes, or a part's. */
struct draft_bytes {
    const unsigned char *data;
    unsigned char *owned;
    cubinet_archive *lender;
    size_t size;
    const struct contents *contents; /* NULL: an image that says nothing of itself */
};

/* Frees what an image has. */
void draft_image_free(struct draft_image *image);

void draft_bytes_free(struct draft_bytes *bytes);

/* Adds an image of `count` parts, which are in order and known to fit together, or of 1, which is none. Takes
 * over their bytes, also on failure. */
cubinet_status draft_put(struct draft_module *module, cubinet_target target, struct draft_bytes *parts,
                         size_t count, const char *origin, struct draft_image **out_first);

#endif
