/* SPDX-License-Identifier: Apache-2.0 */
#include "show/diff.h"

#include "archive/stored_image.h"
#include "base/array.h"
#include "image/resource_fields.h"
#include "loader/core/support/error.h"
#include "show/diff_tunings.h"
#include "show/launch_show.h"
#include "show/tuning_show.h"

#include <cubinet/occupancy.h>

#include <stdlib.h>
#include <string.h>

enum { LAUNCHES_SINCE = 4, DEPENDENCY_SINCE = 6 /* minor versions of the format */ };

/* The archives and where in them the comparison is. */
struct comparison {
    const struct shown_archive *before;
    const struct shown_archive *after;
    const struct listing_module *old_module;
    const struct listing_module *new_module;
    uint32_t block_threads; /* for occupancy; 0: of the best block size */
    bool is_same_code;      /* of the image that both archives have */
    struct diff *diff;
};

/* Two ordered lists, walked side by side: each step is at an element of one of them, or of both. */
struct walk {
    uint32_t old_count;
    uint32_t new_count;
    uint32_t old_next;
    uint32_t new_next;
    uint32_t old;              /* the element, if it is in the old list */
    uint32_t new;              /* likewise */
    enum difference_side side; /* DIFFERENCE_CHANGED: in both */
};

/* As strcmp, for an element of the old list and one of the new. */
typedef int compare_elements(const struct comparison *comparison, uint32_t old, uint32_t new);

static bool walk_next(struct walk *walk, const struct comparison *comparison, compare_elements *compare)
{
    walk->old = walk->old_next;
    walk->new = walk->new_next;
    bool old_ended = walk->old == walk->old_count;
    bool new_ended = walk->new == walk->new_count;
    if (old_ended && new_ended) {
        return false;
    }
    int order = old_ended ? 1 : new_ended ? -1 : compare(comparison, walk->old, walk->new);
    walk->side = order < 0 ? DIFFERENCE_REMOVED : order > 0 ? DIFFERENCE_ADDED : DIFFERENCE_CHANGED;
    walk->old_next += order <= 0;
    walk->new_next += order >= 0;
    return true;
}

static int compare_modules(const struct comparison *comparison, uint32_t old, uint32_t new)
{
    return strcmp(comparison->before->listing.modules[old].name,
                  comparison->after->listing.modules[new].name);
}

static int compare_images(const struct comparison *comparison, uint32_t old, uint32_t new)
{
    return cubinet_target_compare(comparison->old_module->images[old].target,
                                  comparison->new_module->images[new].target);
}

static int compare_kernels(const struct comparison *comparison, uint32_t old, uint32_t new)
{
    return strcmp(comparison->old_module->kernels[old].name, comparison->new_module->kernels[new].name);
}

static int compare_globals(const struct comparison *comparison, uint32_t old, uint32_t new)
{
    return strcmp(comparison->old_module->globals[old].name, comparison->new_module->globals[new].name);
}

static cubinet_status add(const struct comparison *comparison, const struct difference *difference)
{
    struct diff *diff = comparison->diff;
    struct difference *items = array_grow(diff->items, diff->count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    diff->items = items;
    items[diff->count++] = *difference;
    return CUBINET_OK;
}

/* The module that the comparison is at. */
static const char *module_name(const struct comparison *comparison)
{
    return comparison->new_module ? comparison->new_module->name : comparison->old_module->name;
}

/* `target`: of the image, or NULL. */
static cubinet_status add_thing(const struct comparison *comparison, enum difference_side side,
                                const char *what, const char *name, const cubinet_target *target)
{
    struct difference difference = {
        .side = side, .what = what, .module = module_name(comparison), .name = name};
    if (target) {
        cubinet_target_name(*target, difference.target);
    }
    return add(comparison, &difference);
}

static struct difference_value number_value(double number)
{
    return (struct difference_value){.numbers = {number}, .count = 1, .known = true};
}

static struct difference_value resource_difference(const cubinet_kernel_resources *resources,
                                                   const struct resource_field *field)
{
    struct difference_value value = {.count = field->count, .known = true};
    for (size_t i = 0; i < field->count; i++) {
        uint32_t number = resource_value(resources, field, i);
        value.known = value.known && number != CUBINET_UNKNOWN;
        value.numbers[i] = number;
    }
    return value;
}

static bool equal_values(const struct difference_value *a, const struct difference_value *b)
{
    if (!a->known || !b->known) {
        return a->known == b->known;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (a->numbers[i] < b->numbers[i] || a->numbers[i] > b->numbers[i]) {
            return false;
        }
    }
    return true;
}

/* Adds the quantity if it is not the same. */
static cubinet_status compare_values(const struct comparison *comparison, const char *what, const char *name,
                                     cubinet_target target, struct difference_value old_value,
                                     struct difference_value new_value)
{
    bool is_unknown = !old_value.known || !new_value.known;
    if (equal_values(&old_value, &new_value) || (is_unknown && comparison->is_same_code)) {
        return CUBINET_OK; /* of the same code, an older version of the format told less */
    }
    struct difference difference = {.side = DIFFERENCE_CHANGED,
                                    .what = what,
                                    .module = module_name(comparison),
                                    .name = name,
                                    .old_value = old_value,
                                    .new_value = new_value};
    cubinet_target_name(target, difference.target);
    return add(comparison, &difference);
}

/* On the architecture that the code is for. */
static struct difference_value occupancy_value(const struct comparison *comparison, cubinet_target target,
                                               const cubinet_kernel_resources *resources)
{
    struct difference_value unknown = {.count = 1};
    cubinet_device_limits limits = {.size = sizeof(limits)};
    if (target.kind != CUBINET_IMAGE_CUBIN ||
        cubinet_device_limits_of_compute(target.number / 10, target.number % 10, &limits)) {
        return unknown;
    }
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    uint32_t block = comparison->block_threads;
    cubinet_status status =
        block ? cubinet_occupancy_compute(&limits, resources, block, 0, &occupancy)
              : cubinet_occupancy_max_block_size(&limits, resources, NULL, &block, &occupancy);
    return status ? unknown : number_value(occupancy.occupancy);
}

static cubinet_status compare_resources(const struct comparison *comparison, const char *name,
                                        cubinet_target target, const cubinet_kernel_resources *old_resources,
                                        const cubinet_kernel_resources *new_resources)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < resource_field_count; i++) {
        const struct resource_field *field = &resource_fields[i];
        status =
            compare_values(comparison, field->name, name, target, resource_difference(old_resources, field),
                           resource_difference(new_resources, field));
    }
    if (!status) {
        status = compare_values(comparison, "occupancy", name, target,
                                occupancy_value(comparison, target, old_resources),
                                occupancy_value(comparison, target, new_resources));
    }
    return status;
}

/* `ignored`: flags that the other archive can't have */
static cubinet_status read_launch(const struct shown_archive *shown, const struct listing_module *module,
                                  uint32_t image, uint32_t kernel, uint32_t ignored, struct buffer *out_text)
{
    cubinet_launch_record record = {.size = sizeof(record)};
    cubinet_status status =
        cubinet_archive_get_launch_record(shown->archive, module->number, image, kernel, &record);
    if (!status) {
        record.flags &= ~ignored;
        launch_append_text(&record, out_text);
    }
    return status;
}

static bool records_dependency(const struct shown_archive *shown)
{
    return shown->listing.archive.format_minor >= DEPENDENCY_SINCE;
}

/* Whether both archives are of a version that records launches. */
static bool have_launches(const struct comparison *comparison)
{
    return comparison->before->listing.archive.format_minor >= LAUNCHES_SINCE &&
           comparison->after->listing.archive.format_minor >= LAUNCHES_SINCE;
}

/* How a kernel is launched is compared as people read it, which tells all of it. */
static cubinet_status compare_launches(const struct comparison *comparison, const struct walk *images,
                                       const struct walk *kernels)
{
    struct buffer before = {0};
    struct buffer after = {0};
    bool both = records_dependency(comparison->before) && records_dependency(comparison->after);
    uint32_t ignored = both ? 0 : CUBINET_RECORD_WAITS | CUBINET_RECORD_TRIGGERS;
    cubinet_status status =
        read_launch(comparison->before, comparison->old_module, images->old, kernels->old, ignored, &before);
    if (!status) {
        status = read_launch(comparison->after, comparison->new_module, images->new, kernels->new, ignored,
                             &after);
    }
    if (!status && (before.failed || after.failed)) {
        status = cbn_error_memory();
    }
    bool is_same = before.size == after.size && (before.size == 0 || strcmp(before.data, after.data) == 0);
    if (!status && !is_same && have_launches(comparison)) {
        status = add_thing(comparison, DIFFERENCE_CHANGED, "launch",
                           comparison->new_module->kernel_names[kernels->new],
                           &comparison->new_module->images[images->new].target);
    }
    buffer_free(&before);
    buffer_free(&after);
    return status;
}

/* A kernel that both modules have, in an image that both have. */
static cubinet_status compare_kernel(const struct comparison *comparison, const struct walk *images,
                                     const struct walk *kernels)
{
    cubinet_kernel_resources old_resources;
    cubinet_kernel_resources new_resources;
    bool in_old;
    bool in_new;
    cubinet_status status = listing_resources(comparison->before->archive, comparison->old_module,
                                              images->old, kernels->old, &old_resources, &in_old);
    if (!status) {
        status = listing_resources(comparison->after->archive, comparison->new_module, images->new,
                                   kernels->new, &new_resources, &in_new);
    }
    if (status) {
        return status;
    }
    cubinet_target target = comparison->new_module->images[images->new].target;
    const char *name = comparison->new_module->kernel_names[kernels->new];
    if (in_old && in_new) {
        status = compare_resources(comparison, name, target, &old_resources, &new_resources);
        return status ? status : compare_launches(comparison, images, kernels);
    }
    if (in_old == in_new) {
        return CUBINET_OK;
    }
    return add_thing(comparison, in_old ? DIFFERENCE_REMOVED : DIFFERENCE_ADDED, "kernel", name, &target);
}

static struct walk kernel_walk(const struct comparison *comparison)
{
    return (struct walk){.old_count = comparison->old_module->kernel_count,
                         .new_count = comparison->new_module->kernel_count};
}

/* Numbers of parts in an image that both archives have. */
struct part_pair {
    uint32_t old;
    uint32_t new;
};

/* Digests tell two images apart that are stored alike. They don't tell that two are the same: anyone can make
 * others with the same digest, and the same bytes are something else after another base. */
static cubinet_status same_part(const struct comparison *comparison, const struct walk *images,
                                struct part_pair parts, bool *out_same)
{
    cubinet_part_info old_part = {.size = sizeof(old_part)};
    cubinet_part_info new_part = {.size = sizeof(new_part)};
    const cubinet_archive *before = comparison->before->archive;
    const cubinet_archive *after = comparison->after->archive;
    uint32_t old_module = comparison->old_module->number;
    uint32_t new_module = comparison->new_module->number;
    cubinet_status status = cubinet_archive_get_part(before, old_module, images->old, parts.old, &old_part);
    if (!status) {
        status = cubinet_archive_get_part(after, new_module, images->new, parts.new, &new_part);
    }
    bool is_raw = old_part.encoding == CUBINET_ENCODING_RAW && new_part.encoding == CUBINET_ENCODING_RAW;
    if (status || old_part.raw_size != new_part.raw_size ||
        (is_raw && memcmp(old_part.digest, new_part.digest, sizeof(old_part.digest)) != 0)) {
        *out_same = false;
        return status;
    }
    unsigned char *old_data = NULL;
    unsigned char *new_data = NULL;
    size_t old_size;
    size_t new_size;
    status = part_read(before, old_module, images->old, parts.old, &old_data, &old_size);
    if (!status) {
        status = part_read(after, new_module, images->new, parts.new, &new_data, &new_size);
    }
    if (!status) {
        *out_same = old_size == new_size && memcmp(old_data, new_data, old_size) == 0;
    }
    free(old_data);
    free(new_data);
    return status;
}

/* Images of equally many parts, of which each is the same. */
static cubinet_status same_code(const struct comparison *comparison, const struct walk *images,
                                bool *out_same)
{
    uint32_t count = comparison->old_module->images[images->old].part_count;
    cubinet_status status = CUBINET_OK;
    *out_same = count == comparison->new_module->images[images->new].part_count;
    for (uint32_t i = 0; !status && *out_same && i < count; i++) {
        status = same_part(comparison, images, (struct part_pair){i, i}, out_same);
    }
    return status;
}

/* The parts that a kernel is in, in an image that both archives have. *out_are_there is false, and no error,
 * if one of the images does not have it. */
static cubinet_status find_parts(const struct comparison *comparison, const struct walk *images,
                                 const struct walk *kernels, struct part_pair *out_parts, bool *out_are_there)
{
    cubinet_status status =
        cubinet_archive_find_part(comparison->before->archive, comparison->old_module->number, images->old,
                                  kernels->old, &out_parts->old);
    if (!status) {
        status = cubinet_archive_find_part(comparison->after->archive, comparison->new_module->number,
                                           images->new, kernels->new, &out_parts->new);
    }
    *out_are_there = status == CUBINET_OK;
    return status == CUBINET_ERROR_NOT_FOUND ? CUBINET_OK : status;
}

/* Parts that have a kernel in common, each pair once: reading them takes long. */
struct compared_parts {
    struct compared_pair {
        struct part_pair parts;
        bool is_same;
    } * pairs;
    size_t count;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct part_pair *left = &((const struct compared_pair *)a)->parts;
    const struct part_pair *right = &((const struct compared_pair *)b)->parts;
    int order = (left->old > right->old) - (left->old < right->old);
    return order ? order : (left->new > right->new) - (left->new < right->new);
}

static cubinet_status list_pairs(const struct comparison *comparison, const struct walk *images,
                                 struct compared_parts *parts)
{
    struct walk kernels = kernel_walk(comparison);
    cubinet_status status = CUBINET_OK;
    while (!status && walk_next(&kernels, comparison, compare_kernels)) {
        bool are_there = false;
        if (kernels.side == DIFFERENCE_CHANGED) {
            struct compared_pair *pair = &parts->pairs[parts->count];
            status = find_parts(comparison, images, &kernels, &pair->parts, &are_there);
            parts->count += are_there;
        }
    }
    return status;
}

/* After a failure, too, the caller frees the pairs. */
static cubinet_status compare_parts(const struct comparison *comparison, const struct walk *images,
                                    struct compared_parts *parts)
{
    size_t count = 0;
    parts->pairs = calloc((size_t)comparison->old_module->kernel_count + 1, sizeof(*parts->pairs));
    cubinet_status status = parts->pairs ? list_pairs(comparison, images, parts) : cbn_error_memory();
    if (parts->count > 1) {
        qsort(parts->pairs, parts->count, sizeof(*parts->pairs), compare_pairs);
    }
    for (size_t i = 0; !status && i < parts->count; i++) {
        if (count == 0 || compare_pairs(&parts->pairs[count - 1], &parts->pairs[i]) != 0) {
            struct compared_pair *pair = &parts->pairs[count++];
            *pair = parts->pairs[i];
            status = same_part(comparison, images, pair->parts, &pair->is_same);
        }
    }
    parts->count = count;
    return status;
}

/* A kernel's part has other code; what else is in that part does, too. */
static cubinet_status compare_kernel_code(const struct comparison *comparison, const struct walk *images,
                                          const struct walk *kernels, const struct compared_parts *parts)
{
    struct compared_pair wanted = {.is_same = true};
    bool are_there;
    cubinet_status status = find_parts(comparison, images, kernels, &wanted.parts, &are_there);
    if (status || !are_there) {
        return status;
    }
    const struct compared_pair *found =
        bsearch(&wanted, parts->pairs, parts->count, sizeof(*parts->pairs), compare_pairs);
    return found->is_same ? CUBINET_OK
                          : add_thing(comparison, DIFFERENCE_CHANGED, "code",
                                      comparison->new_module->kernel_names[kernels->new],
                                      &comparison->new_module->images[images->new].target);
}

static cubinet_status compare_code(const struct comparison *comparison, const struct walk *images,
                                   bool *out_same)
{
    const cubinet_image_info *old_image = &comparison->old_module->images[images->old];
    const cubinet_image_info *new_image = &comparison->new_module->images[images->new];
    cubinet_status status = same_code(comparison, images, out_same);
    if (status || *out_same) {
        return status;
    }
    status = add_thing(comparison, DIFFERENCE_CHANGED, "code", NULL, &new_image->target);
    if (status) {
        return status;
    }
    return compare_values(comparison, "bytes", NULL, new_image->target,
                          number_value((double)old_image->raw_size),
                          number_value((double)new_image->raw_size));
}

/* An image of one of the two archives. */
struct one_image {
    const cubinet_archive *archive;
    const struct listing_module *module;
    uint32_t image;
};

static uint32_t count_symbols(const struct one_image *image)
{
    const cubinet_image_info *info = &image->module->images[image->image];
    return info->defined_count + info->needed_count;
}

static cubinet_status get_symbol(const struct one_image *image, uint32_t number,
                                 cubinet_symbol_info *out_symbol)
{
    out_symbol->size = sizeof(*out_symbol);
    return cubinet_archive_get_symbol(image->archive, image->module->number, image->image, number,
                                      out_symbol);
}

/* Whether an image has the symbol, defined or needed alike, with the same type if both tell it. Archives list
 * what is defined before what is needed, both in strcmp()'s order. */
static cubinet_status has_symbol(const struct one_image *image, const cubinet_symbol_info *wanted,
                                 bool *out_has)
{
    uint32_t defined = image->module->images[image->image].defined_count;
    bool is_defined = wanted->flags & CUBINET_SYMBOL_DEFINED;
    uint32_t low = is_defined ? 0 : defined;
    uint32_t high = is_defined ? defined : count_symbols(image);
    *out_has = false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        cubinet_symbol_info symbol;
        cubinet_status status = get_symbol(image, middle, &symbol);
        if (status) {
            return status;
        }
        int order = strcmp(symbol.name, wanted->name);
        if (order == 0) {
            *out_has = !symbol.type[0] || !wanted->type[0] || strcmp(symbol.type, wanted->type) == 0;
            return CUBINET_OK;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return CUBINET_OK;
}

/* Adds the symbols that one image has and the other lacks. */
static cubinet_status list_symbols(const struct comparison *comparison, enum difference_side side,
                                   const struct one_image *image, const struct one_image *other)
{
    const cubinet_target *target = &image->module->images[image->image].target;
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < count_symbols(image); i++) {
        cubinet_symbol_info symbol;
        bool has = false;
        status = get_symbol(image, i, &symbol);
        if (!status) {
            status = has_symbol(other, &symbol, &has);
        }
        if (!status && !has) {
            status = add_thing(comparison, side, symbol.flags & CUBINET_SYMBOL_DEFINED ? "export" : "import",
                               symbol.expression, target);
        }
    }
    return status;
}

/* One that changed its type is removed and added: what was linked with it no longer is. Records of one kind
 * are compared alone: what was not recorded need not be new. */
static cubinet_status compare_symbols(const struct comparison *comparison, const struct walk *images)
{
    const struct one_image before = {comparison->before->archive, comparison->old_module, images->old};
    const struct one_image after = {comparison->after->archive, comparison->new_module, images->new};
    const cubinet_image_info *old_image = &before.module->images[before.image];
    const cubinet_image_info *new_image = &after.module->images[after.image];
    if ((old_image->flags ^ new_image->flags) & (CUBINET_IMAGE_IS_PIECE | CUBINET_IMAGE_SYMBOLS_COMPLETE)) {
        return CUBINET_OK;
    }
    cubinet_status status = list_symbols(comparison, DIFFERENCE_REMOVED, &before, &after);
    return status ? status : list_symbols(comparison, DIFFERENCE_ADDED, &after, &before);
}

static bool have_parts(const struct comparison *comparison, const struct walk *images)
{
    return comparison->old_module->images[images->old].part_count > 1 &&
           comparison->new_module->images[images->new].part_count > 1;
}

static cubinet_status compare_all_kernels(const struct comparison *comparison, const struct walk *images)
{
    struct walk kernels = kernel_walk(comparison);
    struct compared_parts parts = {0};
    bool compares_parts = !comparison->is_same_code && have_parts(comparison, images);
    cubinet_status status = compares_parts ? compare_parts(comparison, images, &parts) : CUBINET_OK;
    while (!status && walk_next(&kernels, comparison, compare_kernels)) {
        if (kernels.side == DIFFERENCE_CHANGED) {
            status = compare_kernel(comparison, images, &kernels);
            if (!status && compares_parts) {
                status = compare_kernel_code(comparison, images, &kernels, &parts);
            }
        }
    }
    free(parts.pairs);
    return status;
}

static cubinet_status compare_image(const struct comparison *comparison, const struct walk *images)
{
    struct comparison of_image = *comparison;
    cubinet_status status = compare_code(comparison, images, &of_image.is_same_code);
    if (!status) {
        status = compare_all_kernels(&of_image, images);
    }
    return status ? status : compare_symbols(comparison, images);
}

static cubinet_status compare_all_images(const struct comparison *comparison)
{
    struct walk images = {.old_count = comparison->old_module->image_count,
                          .new_count = comparison->new_module->image_count};
    cubinet_status status = CUBINET_OK;
    while (!status && walk_next(&images, comparison, compare_images)) {
        if (images.side == DIFFERENCE_CHANGED) {
            status = compare_image(comparison, &images);
        } else {
            const cubinet_image_info *image = images.side == DIFFERENCE_REMOVED
                                                  ? &comparison->old_module->images[images.old]
                                                  : &comparison->new_module->images[images.new];
            status = add_thing(comparison, images.side, "image", NULL, &image->target);
        }
    }
    return status;
}

/* Kernels that a module has or has no more, in whatever image. */
static cubinet_status list_kernels(const struct comparison *comparison)
{
    struct walk kernels = kernel_walk(comparison);
    cubinet_status status = CUBINET_OK;
    while (!status && walk_next(&kernels, comparison, compare_kernels)) {
        if (kernels.side != DIFFERENCE_CHANGED) {
            const char *name = kernels.side == DIFFERENCE_REMOVED
                                   ? comparison->old_module->kernel_names[kernels.old]
                                   : comparison->new_module->kernel_names[kernels.new];
            status = add_thing(comparison, kernels.side, "kernel", name, NULL);
        }
    }
    return status;
}

static cubinet_status list_globals(const struct comparison *comparison)
{
    struct walk globals = {.old_count = comparison->old_module->global_count,
                           .new_count = comparison->new_module->global_count};
    cubinet_status status = CUBINET_OK;
    while (!status && walk_next(&globals, comparison, compare_globals)) {
        if (globals.side != DIFFERENCE_CHANGED) {
            const char *name = globals.side == DIFFERENCE_REMOVED
                                   ? comparison->old_module->global_names[globals.old]
                                   : comparison->new_module->global_names[globals.new];
            status = add_thing(comparison, globals.side, "global", name, NULL);
        }
    }
    return status;
}

static cubinet_status list_tunings(const struct comparison *comparison)
{
    struct tuning_differences differences;
    cubinet_status status = diff_tunings(comparison->before, comparison->old_module, comparison->after,
                                         comparison->new_module, &differences);
    for (size_t i = 0; !status && i < differences.count; i++) {
        const struct tuning_difference *item = &differences.items[i];
        status = add_thing(comparison, item->side, "tuning",
                           tuning_kernel_name(comparison->new_module, item->what), &item->target);
    }
    free(differences.items);
    return status;
}

static cubinet_status compare_module(const struct comparison *comparison)
{
    cubinet_status status = list_kernels(comparison);
    if (!status) {
        status = list_globals(comparison);
    }
    if (!status) {
        status = compare_all_images(comparison);
    }
    return status ? status : list_tunings(comparison);
}

static cubinet_status compare_all_modules(struct comparison *comparison)
{
    const struct listing *before = &comparison->before->listing;
    const struct listing *after = &comparison->after->listing;
    struct walk modules = {.old_count = before->module_count, .new_count = after->module_count};
    cubinet_status status = CUBINET_OK;
    while (!status && walk_next(&modules, comparison, compare_modules)) {
        comparison->old_module = modules.side == DIFFERENCE_ADDED ? NULL : &before->modules[modules.old];
        comparison->new_module = modules.side == DIFFERENCE_REMOVED ? NULL : &after->modules[modules.new];
        status = modules.side == DIFFERENCE_CHANGED
                     ? compare_module(comparison)
                     : add_thing(comparison, modules.side, "module", NULL, NULL);
    }
    return status;
}

cubinet_status diff_archives(const struct shown_archive *before, const struct shown_archive *after,
                             uint32_t block_threads, struct diff *out_diff)
{
    struct diff diff = {0};
    struct comparison comparison = {
        .before = before, .after = after, .block_threads = block_threads, .diff = &diff};
    cubinet_status status = compare_all_modules(&comparison);
    if (status) {
        diff_free(&diff);
        return status;
    }
    *out_diff = diff;
    return CUBINET_OK;
}

void diff_free(struct diff *diff)
{
    free(diff->items);
    *diff = (struct diff){0};
}
