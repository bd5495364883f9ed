/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/draft_keep.h"

#include "archive/draft_put.h"

#include <string.h>

size_t draft_keep_parts(struct draft_module *module, size_t image, const bool *kept)
{
    struct draft_image *images = &module->images[image];
    const size_t count = images->part_count;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept[i]) {
            images[left++] = images[i];
        } else {
            draft_drop_tunings_of(module, &images[i]);
            draft_image_free(&images[i]);
        }
    }
    for (size_t i = 0; i < left; i++) {
        images[i].part = (uint32_t)i;
        images[i].part_count = (uint32_t)left;
    }
    if (left == 1) { /* which no table says of an ordinary image */
        cbn_text_list_free(&images->globals);
        images->globals = (struct cbn_text_list){0};
    }
    memmove(images + left, images + count, (module->image_count - image - count) * sizeof(*images));
    module->image_count -= count - left;
    return left;
}
