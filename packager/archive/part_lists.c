/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/part_lists.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

/* Says which part of an image has a kernel or a variable. False if none has it. */
typedef bool find_part_fn(const cubinet_archive *archive, uint32_t module, uint32_t image, uint32_t number,
                          uint32_t *out_part);

static bool find_kernel(const cubinet_archive *archive, uint32_t module, uint32_t image, uint32_t kernel,
                        uint32_t *out_part)
{
    return cbn_archive_image_has_kernel(archive, module, image, kernel) &&
           !cubinet_archive_find_part(archive, module, image, kernel, out_part);
}

/* The part of each of `count`; CUBINET_UNKNOWN if none has it. */
static void find_parts(const cubinet_archive *archive, const struct listing_module *module, uint32_t image,
                       find_part_fn *find, uint32_t count, uint32_t *parts)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!find(archive, module->number, image, i, &parts[i])) {
            parts[i] = CUBINET_UNKNOWN;
        }
    }
}

/* starts: zeros, two more than there are parts */
static void sort(const uint32_t *parts, uint32_t count, uint32_t part_count, struct part_lists *lists)
{
    uint32_t *ends = lists->starts + 1; /* of the lists so far, which start where the one before ends */
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i] < part_count) {
            ends[parts[i] + 1]++;
        }
    }
    for (uint32_t i = 1; i <= part_count; i++) {
        ends[i] += ends[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i] < part_count) {
            lists->items[ends[parts[i]]++] = i;
        }
    }
}

static cubinet_status make(const cubinet_archive *archive, const struct listing_module *module,
                           uint32_t image, find_part_fn *find, uint32_t count, struct part_lists *out_lists)
{
    uint32_t part_count = module->images[image].part_count;
    uint32_t *parts = calloc((size_t)count + 1, sizeof(*parts));
    struct part_lists lists = {calloc((size_t)count + 1, sizeof(*lists.items)),
                               calloc((size_t)part_count + 2, sizeof(*lists.starts))};
    bool is_made = parts && lists.items && lists.starts;
    if (is_made) {
        find_parts(archive, module, image, find, count, parts);
        sort(parts, count, part_count, &lists);
        *out_lists = lists;
    } else {
        part_lists_free(&lists);
    }
    free(parts);
    return is_made ? CUBINET_OK : cbn_error_memory();
}

cubinet_status part_lists_kernels(const cubinet_archive *archive, const struct listing_module *module,
                                  uint32_t image, struct part_lists *out_lists)
{
    return make(archive, module, image, find_kernel, module->kernel_count, out_lists);
}

cubinet_status part_lists_globals(const cubinet_archive *archive, const struct listing_module *module,
                                  uint32_t image, struct part_lists *out_lists)
{
    uint32_t count = module->images[image].part_count > 1 ? module->global_count : 0;
    return make(archive, module, image, cbn_archive_find_global_part, count, out_lists);
}

void part_lists_free(struct part_lists *lists)
{
    free(lists->items);
    free(lists->starts);
    *lists = (struct part_lists){0};
}
