/* SPDX-License-Identifier: Apache-2.0 */
/* How an archive stores its images: which of them are one and the same, and which are compressed after which
 * other, their base. Bases are found by trying, so that a base saves what it costs; a base has no base
 * itself, so that reading an image reads at most one other. The same draft gives the same plan. */
#ifndef IMAGE_PLAN_H
#define IMAGE_PLAN_H

#include "archive/draft.h"
#include "archive/frame_packer.h"

#define PLAN_NONE SIZE_MAX

struct planned_image {
    const struct draft_image *image;
    uint32_t module; /* in the draft */
    uint32_t number; /* of the image in the module, which counts an image of parts once */
    bool with_parts; /* its module has images of parts */
    size_t
        same_as; /* an earlier image of the plan with equal bytes, stored in place of this one; PLAN_NONE */
    size_t base; /* in the plan; PLAN_NONE: none */
};

struct image_plan {
    struct planned_image *images; /* of all modules, in the draft's order */
    size_t count;
};

/* zstd_level: 0 to store images as they are, without bases. The draft must outlive the plan. */
cubinet_status image_plan_make(const struct draft *draft, int zstd_level, struct frame_packer *packer,
                               struct image_plan *out_plan);
void image_plan_free(struct image_plan *plan);

/* Whether an image is worth compressing: LTO-IR is compressed in itself. */
bool image_plan_compresses(const struct draft_image *image);

#endif
