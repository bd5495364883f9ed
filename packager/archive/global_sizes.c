/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/global_sizes.h"

#include "base/array.h"

#include <stdlib.h>

void global_sizes_add(struct global_sizes *sizes, struct global_sighting sighting)
{
    struct global_sighting *items = array_grow(sizes->items, sizes->count, sizeof(*items));
    if (!items) {
        sizes->failed = true;
        return;
    }
    sizes->items = items;
    items[sizes->count++] = sighting;
}

void global_sizes_free(struct global_sizes *sizes)
{
    free(sizes->items);
    *sizes = (struct global_sizes){0};
}

static int compare(const void *a, const void *b)
{
    const struct global_sighting *left = a;
    const struct global_sighting *right = b;
    return (left->global > right->global) - (left->global < right->global);
}

void global_sizes_sort(struct global_sizes *sizes)
{
    if (sizes->count > 1) {
        qsort(sizes->items, sizes->count, sizeof(*sizes->items), compare);
    }
}

/* The first sighting of a variable, or where it would be. */
static size_t find_first(const struct global_sizes *sizes, uint32_t global)
{
    size_t low = 0;
    size_t high = sizes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sizes->items[middle].global < global) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Whether the variable was found in an image for that compute capability. */
static bool is_seen_for(const struct global_sizes *sizes, size_t first, size_t end, int number)
{
    for (size_t i = first; i < end; i++) {
        if (sizes->items[i].number == number) {
            return true;
        }
    }
    return false;
}

/* Whether an image that can't be read may have more of it. */
static bool may_be_more(const struct global_sizes *sizes, size_t first, size_t end,
                        const cubinet_image_info *images, size_t image_count)
{
    for (size_t i = 0; i < image_count; i++) {
        cubinet_target target = images[i].target;
        if (target.kind == CUBINET_IMAGE_LTOIR && !is_seen_for(sizes, first, end, target.number)) {
            return true;
        }
    }
    return false;
}

struct global_facts global_sizes_settle(const struct global_sizes *sizes, uint32_t global,
                                        struct global_facts recorded, const cubinet_image_info *images,
                                        size_t image_count)
{
    struct global_facts found = {0};
    size_t first = find_first(sizes, global);
    size_t end = first;
    for (; end < sizes->count && sizes->items[end].global == global; end++) {
        const struct global_sighting *sighting = &sizes->items[end];
        found.bytes = sighting->bytes > found.bytes ? sighting->bytes : found.bytes;
        found.flags |= sighting->flags;
    }
    bool has_more = recorded.bytes > found.bytes || (recorded.flags & ~found.flags) != 0;
    bool may_have_more = has_more && may_be_more(sizes, first, end, images, image_count);
    if (found.bytes == 0 || (recorded.bytes > found.bytes && may_have_more)) {
        found.bytes = recorded.bytes;
    }
    if (first == end || may_have_more) {
        found.flags |= recorded.flags;
    }
    return found;
}
