/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/image_plan.h"

#include "archive/base_choice.h"
#include "loader/core/archive/digest.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

bool image_plan_compresses(const struct draft_image *image)
{
    return image->target.kind != CUBINET_IMAGE_LTOIR && image->target.kind != CUBINET_IMAGE_OPTIXIR;
}

static void list_module(const struct draft_module *module, uint32_t number, struct image_plan *plan)
{
    bool with_parts = draft_has_parts(module);
    uint32_t next = 0;
    for (size_t i = 0; i < module->image_count; i++) {
        const struct draft_image *image = &module->images[i];
        next += image->part == 0;
        plan->images[plan->count++] = (struct planned_image){.image = image,
                                                             .module = number,
                                                             .number = next - 1,
                                                             .with_parts = with_parts,
                                                             .same_as = PLAN_NONE,
                                                             .base = PLAN_NONE};
    }
}

static cubinet_status list_images(const struct draft *draft, struct image_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < draft->module_count; i++) {
        count += draft->modules[i].image_count;
    }
    plan->images = calloc(count + 1, sizeof(*plan->images));
    if (!plan->images) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < draft->module_count; i++) {
        list_module(&draft->modules[i], (uint32_t)i, plan);
    }
    return CUBINET_OK;
}

/* An image by its bytes and its module, and where it is. Modules with parts are compressed after images that
 * older readers don't see, and share nothing with the others. */
struct fingerprint {
    struct cbn_digest digest;
    bool with_parts;
    size_t place;
};

static int compare_fingerprints(const void *a, const void *b)
{
    const struct fingerprint *left = a;
    const struct fingerprint *right = b;
    int order = memcmp(&left->digest, &right->digest, sizeof(left->digest));
    order = order ? order : left->with_parts - right->with_parts;
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

/* Not between kinds, since a zip entry's name tells the kind. */
static bool is_same(const struct planned_image *a, const struct planned_image *b)
{
    return a->image->target.kind == b->image->target.kind && a->image->size == b->image->size &&
           memcmp(a->image->data, b->image->data, a->image->size) == 0;
}

static cubinet_status find_same(struct image_plan *plan)
{
    struct fingerprint *prints = calloc(plan->count + 1, sizeof(*prints));
    if (!prints) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < plan->count; i++) {
        const struct draft_image *image = plan->images[i].image;
        prints[i] = (struct fingerprint){cbn_digest(image->data, image->size), plan->images[i].with_parts, i};
    }
    qsort(prints, plan->count, sizeof(*prints), compare_fingerprints);
    for (size_t i = 1, first = 0; i < plan->count; i++) {
        struct planned_image *image = &plan->images[prints[i].place];
        if (memcmp(&prints[i].digest, &prints[first].digest, sizeof(prints[i].digest)) != 0 ||
            prints[i].with_parts != prints[first].with_parts) {
            first = i;
        } else if (is_same(image, &plan->images[prints[first].place])) {
            image->same_as = prints[first].place;
        }
    }
    free(prints);
    return CUBINET_OK;
}

cubinet_status image_plan_make(const struct draft *draft, int zstd_level, struct frame_packer *packer,
                               struct image_plan *out_plan)
{
    struct image_plan plan = {0};
    cubinet_status status = list_images(draft, &plan);
    if (!status) {
        status = find_same(&plan);
    }
    if (!status && zstd_level > 0) {
        status = base_choice_make(&plan, zstd_level, packer);
    }
    if (status) {
        image_plan_free(&plan);
        return status;
    }
    *out_plan = plan;
    return CUBINET_OK;
}

void image_plan_free(struct image_plan *plan)
{
    free(plan->images);
    *plan = (struct image_plan){0};
}
