/* SPDX-License-Identifier: Apache-2.0 */
#include "slim/slim_targets.h"

#include "base/array.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const struct slim_target *left = a;
    const struct slim_target *right = b;
    int order = cubinet_target_compare(left->target, right->target);
    return order ? order : (left->code > right->code) - (left->code < right->code);
}

static struct slim_target *find(struct slim_target **targets, size_t *count, const struct slim_image *image)
{
    struct slim_target wanted = {.target = image->entry.target, .code = image->entry.code};
    for (size_t i = 0; i < *count; i++) {
        if (compare(&(*targets)[i], &wanted) == 0) {
            return &(*targets)[i];
        }
    }
    struct slim_target *grown = array_grow(*targets, *count, sizeof(*grown));
    if (!grown) {
        return NULL;
    }
    *targets = grown;
    grown[*count] = wanted;
    return &grown[(*count)++];
}

cubinet_status slim_targets_find(const struct slim_plan *plan, struct slim_target **out_targets,
                                 size_t *out_count)
{
    struct slim_target *targets = NULL;
    size_t count = 0;
    for (size_t i = 0; i < plan->file.image_count; i++) {
        const struct slim_image *image = &plan->file.images[i];
        struct slim_target *target = find(&targets, &count, image);
        if (!target) {
            free(targets);
            return cbn_error_memory();
        }
        target->images++;
        target->bytes += image->entry.size;
        target->raw_bytes += fatbin_raw_size(&image->entry);
        target->stay_images += image->stays;
        target->stay_bytes += !image->stays ? 0 : image->packed ? image->packed_size : image->entry.size;
    }
    if (count > 0) {
        qsort(targets, count, sizeof(*targets), compare);
    }
    *out_targets = targets;
    *out_count = count;
    return CUBINET_OK;
}
