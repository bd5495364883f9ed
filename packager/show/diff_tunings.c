/* SPDX-License-Identifier: Apache-2.0 */
#include "show/diff_tunings.h"

#include "loader/core/support/error.h"

#include <cubinet/tuning.h>

#include <stdlib.h>
#include <string.h>

/* A record, and where it is. */
struct item {
    cubinet_tuning tuning;
    bool is_new;
    uint32_t number;
};

static cubinet_status read_items(const struct shown_archive *shown, const struct listing_module *module,
                                 bool is_new, uint32_t count, struct item *out_items)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < count; i++) {
        out_items[i] =
            (struct item){.tuning = {.size = sizeof(cubinet_tuning)}, .is_new = is_new, .number = i};
        status = cubinet_archive_get_tuning(shown->archive, module->number, i, &out_items[i].tuning);
    }
    return status;
}

static int compare_groups(const struct item *a, const struct item *b)
{
    int order = strcmp(a->tuning.what, b->tuning.what);
    return order ? order : cubinet_target_compare(a->tuning.target, b->tuning.target);
}

/* By group; of each those of the old archive first, in its order. */
static int compare_items(const void *a, const void *b)
{
    const struct item *left = a;
    const struct item *right = b;
    int order = compare_groups(left, right);
    if (!order) {
        order = left->is_new - right->is_new;
    }
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

/* What lies between two members, both of which count. There is no gap between these. */
static bool is_same_range(const cubinet_tuning *a, const cubinet_tuning *b, size_t first, size_t end)
{
    return memcmp((const char *)a + first, (const char *)b + first, end - first) == 0;
}

static bool is_same(const cubinet_tuning *a, const cubinet_tuning *b)
{
    enum {
        CONFIGURATION = offsetof(cubinet_tuning, block),
        CONFIGURATION_END = offsetof(cubinet_tuning, dynamic_shared_bytes) + sizeof(uint32_t),
        MEASURED = offsetof(cubinet_tuning, time_ns),
        MEASURED_END = offsetof(cubinet_tuning, memory_clock_mhz) + sizeof(uint32_t),
    };
    return strcmp(a->gpu, b->gpu) == 0 && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->default_kernel, b->default_kernel) == 0 && a->compute == b->compute &&
           a->multiprocessor_count == b->multiprocessor_count && a->flags == b->flags &&
           (a->image == CUBINET_UNKNOWN) == (b->image == CUBINET_UNKNOWN) &&
           memcmp(a->extent, b->extent, sizeof(a->extent)) == 0 &&
           memcmp(a->digest, b->digest, sizeof(a->digest)) == 0 &&
           is_same_range(a, b, CONFIGURATION, CONFIGURATION_END) &&
           is_same_range(a, b, MEASURED, MEASURED_END);
}

/* Of a group's records, the first `old_count` of which are the old archive's. */
static bool are_same(const struct item *group, size_t old_count, size_t new_count)
{
    bool same = old_count == new_count;
    for (size_t i = 0; same && i < old_count; i++) {
        same = is_same(&group[i].tuning, &group[old_count + i].tuning);
    }
    return same;
}

static void compare_all(const struct item *items, size_t count, struct tuning_differences *differences)
{
    for (size_t start = 0, end = 0; start < count; start = end) {
        size_t old_count = 0;
        for (end = start; end < count && compare_groups(&items[start], &items[end]) == 0; end++) {
            old_count += !items[end].is_new;
        }
        size_t new_count = end - start - old_count;
        if (!are_same(items + start, old_count, new_count)) {
            differences->items[differences->count++] =
                (struct tuning_difference){old_count == 0   ? DIFFERENCE_ADDED
                                           : new_count == 0 ? DIFFERENCE_REMOVED
                                                            : DIFFERENCE_CHANGED,
                                           items[start].tuning.what, items[start].tuning.target};
        }
    }
}

cubinet_status diff_tunings(const struct shown_archive *before, const struct listing_module *old_module,
                            const struct shown_archive *after, const struct listing_module *new_module,
                            struct tuning_differences *out_differences)
{
    uint32_t old_count = 0;
    uint32_t new_count = 0;
    cubinet_status status = cubinet_archive_get_tuning_count(before->archive, old_module->number, &old_count);
    status =
        status ? status : cubinet_archive_get_tuning_count(after->archive, new_module->number, &new_count);
    size_t count = (size_t)old_count + new_count;
    *out_differences = (struct tuning_differences){0};
    if (status || count == 0) {
        return status;
    }
    struct item *items = calloc(count, sizeof(*items));
    out_differences->items = calloc(count, sizeof(*out_differences->items));
    status = items && out_differences->items ? CUBINET_OK : cbn_error_memory();
    status = status ? status : read_items(before, old_module, false, old_count, items);
    status = status ? status : read_items(after, new_module, true, new_count, items + old_count);
    if (!status) {
        qsort(items, count, sizeof(*items), compare_items);
        compare_all(items, count, out_differences);
    }
    free(items);
    return status;
}
