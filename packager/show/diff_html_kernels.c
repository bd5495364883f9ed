/* SPDX-License-Identifier: Apache-2.0 */
#include "show/diff_html_parts.h"

#include "base/json_output.h"
#include "image/resource_fields.h"
#include "loader/core/support/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A name as people read it, and whose it is. */
struct named {
    const char *name;
    uint32_t kernel;
};

/* A kernel in one image of one archive. */
struct place {
    const struct shown_archive *shown;
    const struct listing_module *module; /* NULL: the archive has none of that name */
    struct named *by_address;            /* the names of the module's kernels in the order of addresses, */
    struct named *by_text;               /* and of strcmp() */
    uint32_t image;
    uint32_t kernel;
};

/* Differences that are about the same kernel of the same image. */
struct group {
    const struct difference *first;
    size_t count;
};

static bool is_about_kernel(const struct difference *item)
{
    static const char *const others[] = {"global", "export", "import"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(item->what, others[i]) == 0) {
            return false;
        }
    }
    return item->name != NULL;
}

static size_t count_group(const struct diff *diff, size_t first)
{
    const struct difference *item = &diff->items[first];
    size_t end = first + 1;
    while (end < diff->count && diff->items[end].name == item->name && is_about_kernel(&diff->items[end]) &&
           strcmp(diff->items[end].target, item->target) == 0) {
        end++;
    }
    return end - first;
}

/* Of equal names the first kernel's comes first. */
static int compare_addresses(const void *a, const void *b)
{
    const struct named *left = a;
    const struct named *right = b;
    uintptr_t first = (uintptr_t)left->name;
    uintptr_t second = (uintptr_t)right->name;
    return first != second ? (first > second) - (first < second)
                           : (left->kernel > right->kernel) - (left->kernel < right->kernel);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static struct named *list_names(const struct listing_module *module,
                                int (*compare)(const void *, const void *))
{
    uint32_t count = module ? module->kernel_count : 0;
    struct named *list = calloc((size_t)count + 1, sizeof(*list));
    for (uint32_t i = 0; list && i < count; i++) {
        list[i] = (struct named){module->kernel_names[i], i};
    }
    if (list && count > 1) {
        qsort(list, count, sizeof(*list), compare);
    }
    return list;
}

static void leave_module(struct place *place)
{
    free(place->by_address);
    free(place->by_text);
    place->by_address = NULL;
    place->by_text = NULL;
}

static cubinet_status enter_module(struct place *place, const char *name)
{
    leave_module(place);
    place->module = listing_find_module(&place->shown->listing, name);
    place->by_address = list_names(place->module, compare_addresses);
    place->by_text = list_names(place->module, compare_texts);
    return place->by_address && place->by_text ? CUBINET_OK : cbn_error_memory();
}

/* Sets place->kernel to the first with that pointer for a name, which diff_archives() took from the listing.
 */
static bool find_name(struct place *place, const char *name)
{
    uint32_t count = place->module ? place->module->kernel_count : 0;
    uint32_t low = 0;
    for (uint32_t high = count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)place->by_address[middle].name < (uintptr_t)name) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < count && place->by_address[low].name == name;
    place->kernel = found ? place->by_address[low].kernel : place->kernel;
    return found;
}

/* The same by the lowered name. */
static bool find_lowered(struct place *place, const char *name)
{
    return place->module && listing_find_kernel(place->module, name, &place->kernel);
}

static bool find_image(struct place *place, const char *target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    for (uint32_t i = 0; place->module && i < place->module->image_count; i++) {
        if (strcmp(cubinet_target_name(place->module->images[i].target, name), target) == 0) {
            place->image = i;
            return true;
        }
    }
    return false;
}

/* What the kernel needs; null where the image has no such kernel. */
static cubinet_status resources_json(const struct place *place, json_t **out_json)
{
    static const char *const shown[] = {"registers",         "static_shared_bytes", "local_bytes",
                                        "spill_store_bytes", "spill_load_bytes",    "barriers"};
    cubinet_kernel_resources resources;
    bool held;
    cubinet_status status = listing_resources(place->shown->archive, place->module, place->image,
                                              place->kernel, &resources, &held);
    if (status) {
        return status;
    }
    *out_json = held ? json_object() : json_null();
    for (size_t i = 0; held && i < resource_field_count; i++) {
        for (size_t j = 0; j < sizeof(shown) / sizeof(shown[0]); j++) {
            if (strcmp(resource_fields[i].name, shown[j]) == 0) {
                json_object_set_new(*out_json, shown[j],
                                    json_output_number(resource_value(&resources, &resource_fields[i], 0)));
            }
        }
    }
    return CUBINET_OK;
}

static json_t *row_json(const struct place *place, const char *target, json_t *before, json_t *after)
{
    const struct listing_module *module = place->module;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "module", json_output_text(module->name), "kernel",
                     json_output_text(module->kernel_names[place->kernel]), "name",
                     json_output_text(module->kernels[place->kernel].name), "target",
                     target ? json_string(target) : json_null(), "old", before, "new", after);
}

/* What got worse counts, whatever got better beside it. Unknown numbers are neither. */
static enum matter group_matter(const struct group *group)
{
    struct diff_criteria numbers = {0};
    bool is_better = false;
    diff_criteria_parse("registers,spill_store_bytes,spill_load_bytes,local_bytes,static_shared_bytes,"
                        "constant_bytes,barriers,occupancy,max_threads_per_block",
                        &numbers);
    for (size_t i = 0; i < group->count; i++) {
        struct difference item = group->first[i];
        if (!item.old_value.known || !item.new_value.known) {
            continue;
        }
        if (diff_criteria_match(&numbers, &item)) {
            return MATTER_WORSE;
        }
        struct difference_value old_value = item.old_value;
        item.old_value = item.new_value;
        item.new_value = old_value;
        is_better = is_better || diff_criteria_match(&numbers, &item);
    }
    return is_better ? MATTER_BETTER : MATTER_CHANGED;
}

/* By how much a quantity changed; 0 if it did not, or if that is not known. */
static double group_growth(const struct group *group, const char *what)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct difference *item = &group->first[i];
        if (strcmp(item->what, what) == 0 && item->old_value.known && item->new_value.known) {
            return item->new_value.numbers[0] - item->old_value.numbers[0];
        }
    }
    return 0;
}

static json_t *changes_json(const struct group *group)
{
    json_t *changes = json_object();
    for (size_t i = 0; i < group->count; i++) {
        const struct difference *item = &group->first[i];
        bool has_values = item->old_value.count > 0;
        json_object_set_new(changes, item->what,
                            has_values ? json_pack("[o, o]", diff_value_json(&item->old_value),
                                                   diff_value_json(&item->new_value))
                                       : json_null());
    }
    return changes;
}

/* A kernel that the same image of both archives has. */
static cubinet_status add_changed(const struct group *group, struct place *before, struct place *after,
                                  struct diff_rows *rows)
{
    const char *target = group->first->target;
    if (!find_name(after, group->first->name) || !find_image(after, target) ||
        !find_lowered(before, after->module->kernels[after->kernel].name) || !find_image(before, target)) {
        return CUBINET_OK; /* never: diff_archives() saw it in both */
    }
    json_t *old_json = NULL;
    json_t *new_json = NULL;
    cubinet_status status = resources_json(before, &old_json);
    if (!status) {
        status = resources_json(after, &new_json);
    }
    if (status) {
        json_decref(old_json);
        return status;
    }
    enum matter matter = group_matter(group);
    double sign = matter == MATTER_BETTER ? -1 : 1; /* the largest change comes first */
    struct diff_row row = {
        .json = row_json(after, target, old_json, new_json),
        .matter = matter,
        .weights = {sign *
                        (group_growth(group, "spill_store_bytes") + group_growth(group, "spill_load_bytes")),
                    -sign * group_growth(group, "occupancy"), sign * group_growth(group, "registers"),
                    sign * group_growth(group, "static_shared_bytes")}};
    json_object_set_new(row.json, "changes", changes_json(group));
    diff_rows_add(rows, &row);
    return CUBINET_OK;
}

static cubinet_status add_lone(const struct place *place, enum matter matter, struct diff_rows *rows)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    json_t *json = NULL;
    cubinet_status status = resources_json(place, &json);
    if (status || json_is_null(json)) {
        return status;
    }
    bool is_added = matter == MATTER_ADDED;
    cubinet_target_name(place->module->images[place->image].target, target);
    struct diff_row row = {
        .json = row_json(place, target, is_added ? json_null() : json, is_added ? json : json_null()),
        .matter = matter};
    json_object_set_new(row.json, "changes", json_object());
    diff_rows_add(rows, &row);
    return CUBINET_OK;
}

/* Whether people find a kernel of that name in the module. */
static bool has_expression(const struct place *place, const char *name)
{
    const struct named wanted = {name, 0};
    return place->module && place->module->kernel_count > 0 &&
           bsearch(&wanted, place->by_text, place->module->kernel_count, sizeof(wanted), compare_texts);
}

/* A kernel of one archive: a row for the image that is named, or for each image that has it. Where lowered
 * names tell the architecture, as CUB's do, an image that came or went takes names with it, and no kernel. */
static cubinet_status add_one_sided(const struct group *group, struct place *before, struct place *after,
                                    struct diff_rows *rows)
{
    bool is_added = group->first->side == DIFFERENCE_ADDED;
    const char *target = group->first->target;
    char image[CUBINET_TARGET_NAME_SIZE];
    struct place *place = is_added ? after : before;
    struct place *other = is_added ? before : after;
    if (!find_name(place, group->first->name) &&
        (!find_name(other, group->first->name) ||
         !find_lowered(place, other->module->kernels[other->kernel].name))) {
        return CUBINET_OK; /* never: diff_archives() saw it in one */
    }
    enum matter matter = is_added ? MATTER_ADDED : MATTER_REMOVED;
    if (target[0]) {
        return find_image(place, target) ? add_lone(place, matter, rows) : CUBINET_OK;
    }
    bool is_elsewhere = has_expression(other, place->module->kernel_names[place->kernel]);
    cubinet_status status = CUBINET_OK;
    for (place->image = 0; !status && place->image < place->module->image_count; place->image++) {
        cubinet_target_name(place->module->images[place->image].target, image);
        if (!is_elsewhere || find_image(other, image)) {
            status = add_lone(place, matter, rows);
        }
    }
    return status;
}

cubinet_status diff_html_kernels(const struct diff_shown *shown, json_t **out_rows)
{
    struct diff_rows rows = {0};
    struct place before = {.shown = shown->before};
    struct place after = {.shown = shown->after};
    const char *module = NULL; /* that the places are in */
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < shown->diff->count;) {
        struct group group = {&shown->diff->items[i], 1};
        if (is_about_kernel(group.first)) {
            if (module != group.first->module) {
                module = group.first->module;
                status = enter_module(&before, module);
                status = status ? status : enter_module(&after, module);
            }
            group.count = count_group(shown->diff, i);
            if (!status) {
                status = group.first->side == DIFFERENCE_CHANGED
                             ? add_changed(&group, &before, &after, &rows)
                             : add_one_sided(&group, &before, &after, &rows);
            }
        }
        i += group.count;
    }
    leave_module(&before);
    leave_module(&after);
    *out_rows = diff_rows_json(&rows);
    return status;
}
