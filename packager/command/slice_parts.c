/* SPDX-License-Identifier: Apache-2.0 */
#include "command/slice_parts.h"

#include "archive/draft_keep.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

bool *slice_parts_kept(const struct shown_archive *shown, const struct slice_used *used,
                       const struct listing_module *module, uint32_t image)
{
    uint32_t count = module->images[image].part_count;
    bool *kept = calloc((size_t)count + 1, sizeof(*kept));
    uint32_t part = 0;
    bool has_any = false;
    if (!kept || count < 2) {
        return kept ? (kept[0] = true, kept) : NULL;
    }
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        if (slice_used_kernel(used, module->name, module->kernels[i].name) &&
            cbn_archive_image_has_kernel(shown->archive, module->number, image, i) &&
            !cubinet_archive_find_part(shown->archive, module->number, image, i, &part)) {
            kept[part] = has_any = true;
        }
    }
    for (uint32_t i = 0; i < module->global_count; i++) {
        if (slice_used_global(used, module->name, module->globals[i].name) &&
            cbn_archive_find_global_part(shown->archive, module->number, image, i, &part)) {
            kept[part] = has_any = true;
        }
    }
    kept[0] = kept[0] || !has_any;
    return kept;
}

/* The module's image for a target. */
static uint32_t find_image(const struct listing_module *module, cubinet_target target)
{
    uint32_t image = 0;
    while (cubinet_target_compare(module->images[image].target, target) != 0) {
        image++;
    }
    return image;
}

/* With `of_rest`, the other parts. */
static cubinet_status divide_image(const struct shown_archive *shown, const struct slice_used *used,
                                   const struct listing_module *module, bool of_rest,
                                   struct draft_module *draft, size_t place, size_t *out_left)
{
    uint32_t image = find_image(module, draft->images[place].target);
    bool *kept = slice_parts_kept(shown, used, module, image);
    if (!kept) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < module->images[image].part_count; i++) {
        kept[i] = kept[i] != of_rest;
    }
    *out_left = draft_keep_parts(draft, place, kept);
    free(kept);
    return CUBINET_OK;
}

static cubinet_status divide_module(const struct shown_archive *shown, const struct slice_marks *marks,
                                    const struct slice_used *used, uint32_t number, bool of_rest,
                                    struct draft *draft)
{
    const struct listing_module *module = &shown->listing.modules[number];
    struct draft_module *to = draft_module(draft, module->name);
    cubinet_status status = to ? CUBINET_OK : cbn_error_memory();
    for (size_t place = 0; !status && place < to->image_count;) {
        size_t count = to->images[place].part_count;
        bool is_marked = marks->kept[number][find_image(module, to->images[place].target)];
        if (count > 1 && is_marked) {
            status = divide_image(shown, used, module, of_rest, to, place, &count);
        }
        place += count;
    }
    return status;
}

cubinet_status slice_parts_divide(const struct shown_archive *shown, const struct slice_marks *marks,
                                  const struct slice_used *used, struct draft *draft, struct draft *rest)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < marks->module_count; i++) {
        if (slice_marks_any(marks, &shown->listing.modules[i], i)) {
            status = divide_module(shown, marks, used, i, false, draft);
            status = status || !rest ? status : divide_module(shown, marks, used, i, true, rest);
        }
    }
    if (rest) {
        draft_drop_empty(rest, 0);
    }
    return status;
}
