/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/draft_tuning.h"

#include "archive/draft.h"
#include "archive/tuning_order.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static void set_free(struct draft_tuned_set *set)
{
    free(set->what);
    free(set->default_kernel);
    cbn_text_list_free(&set->instances);
}

static void tuning_free(struct draft_tuning *tuning)
{
    free(tuning->what);
    free(tuning->kernel);
    free(tuning->gpu);
    free(tuning);
}

void draft_tunings_free(struct draft_tunings *tunings)
{
    for (size_t i = 0; i < tunings->set_count; i++) {
        set_free(&tunings->sets[i]);
    }
    for (size_t i = 0; i < tunings->count; i++) {
        tuning_free(tunings->items[i]);
    }
    free(tunings->sets);
    free(tunings->items);
    *tunings = (struct draft_tunings){0};
}

/* Room doubles at every power of two, so the count alone tells how much there is. NULL if memory is out. */
static void *more_room(void *rows, size_t count, size_t row_size)
{
    return (count & (count - 1)) == 0 ? reallocarray(rows, count ? 2 * count : 1, row_size) : rows;
}

/* Opens a gap at `place`, which the caller fills. Returns the rows, or NULL if memory is out. */
static void *open_gap(void *rows, size_t count, size_t row_size, size_t place)
{
    char *larger = more_room(rows, count, row_size);
    if (larger) {
        memmove(larger + (place + 1) * row_size, larger + place * row_size, (count - place) * row_size);
    }
    return larger;
}

/* Where the set of that name is, or belongs. */
static bool find_set(const struct draft_tunings *tunings, const char *what, size_t *out_place)
{
    size_t low = 0;
    size_t high = tunings->set_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(tunings->sets[middle].what, what);
        if (order == 0) {
            *out_place = middle;
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    *out_place = low;
    return false;
}

const struct draft_tuned_set *draft_find_tuned_set(const struct draft_tunings *tunings, const char *what)
{
    size_t place;
    return find_set(tunings, what, &place) ? &tunings->sets[place] : NULL;
}

static struct draft_tuned_set *add_set(struct draft_tunings *tunings, size_t place,
                                       const cubinet_tuning *tuning)
{
    struct draft_tuned_set set = {
        .what = strdup(tuning->what), .default_kernel = strdup(tuning->default_kernel), .date = tuning->date};
    struct draft_tuned_set *sets = set.what && set.default_kernel
                                       ? open_gap(tunings->sets, tunings->set_count, sizeof(*sets), place)
                                       : NULL;
    if (!sets) {
        set_free(&set);
        return NULL;
    }
    tunings->sets = sets;
    tunings->set_count++;
    sets[place] = set;
    return &sets[place];
}

/* Of two records as late, which says what the default is does not depend on their order. */
static cubinet_status settle_default(struct draft_tuned_set *set, const cubinet_tuning *tuning)
{
    if (tuning->date < set->date ||
        (tuning->date == set->date && strcmp(tuning->default_kernel, set->default_kernel) >= 0)) {
        return CUBINET_OK;
    }
    char *copy = strdup(tuning->default_kernel);
    if (!copy) {
        return cbn_error_memory();
    }
    free(set->default_kernel);
    set->default_kernel = copy;
    set->date = tuning->date;
    return CUBINET_OK;
}

/* Keeps the list in order. A failure is the list's. */
static void add_instance(struct cbn_text_list *list, const char *name)
{
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(list->items[middle], name);
        if (order == 0) {
            return;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    if (!cbn_text_list_add(list, name)) {
        char *added = list->items[list->count - 1];
        memmove(list->items + low + 1, list->items + low, (list->count - 1 - low) * sizeof(*list->items));
        list->items[low] = added;
    }
}

static cubinet_status put_set(struct draft_tunings *tunings, const cubinet_tuning *tuning)
{
    size_t place;
    struct draft_tuned_set *set =
        find_set(tunings, tuning->what, &place) ? &tunings->sets[place] : add_set(tunings, place, tuning);
    cubinet_status status = set ? settle_default(set, tuning) : cbn_error_memory();
    if (status) {
        return status;
    }
    add_instance(&set->instances, tuning->kernel);
    add_instance(&set->instances, tuning->default_kernel);
    for (uint32_t i = 0; i < tuning->instance_count; i++) {
        add_instance(&set->instances, tuning->instances[i]);
    }
    return set->instances.failed ? cbn_error_memory() : CUBINET_OK;
}

/* NULL if memory is out. */
static struct draft_tuning *copy_tuning(const cubinet_tuning *tuning)
{
    struct draft_tuning *copy = malloc(sizeof(*copy));
    if (!copy) {
        return NULL;
    }
    *copy = (struct draft_tuning){*tuning, strdup(tuning->what), strdup(tuning->kernel), strdup(tuning->gpu)};
    if (!copy->what || !copy->kernel || !copy->gpu) {
        tuning_free(copy);
        return NULL;
    }
    copy->known.what = copy->what;
    copy->known.kernel = copy->kernel;
    copy->known.gpu = copy->gpu;
    copy->known.instances = NULL;
    copy->known.instance_count = 0;
    copy->known.default_kernel = NULL;
    copy->known.image = CUBINET_UNKNOWN;
    copy->known.part = CUBINET_UNKNOWN;
    return copy;
}

/* Where the record with a record's key is, or belongs. */
static bool find_tuning(const struct draft_tunings *tunings, const cubinet_tuning *tuning, size_t *out_place)
{
    size_t low = 0;
    size_t high = tunings->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const cubinet_tuning *there = &tunings->items[middle]->known;
        int order = tuning_compare_keys(there, tuning);
        order = order ? order : memcmp(there->digest, tuning->digest, sizeof(there->digest));
        if (order == 0) {
            *out_place = middle;
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    *out_place = low;
    return false;
}

static cubinet_status put_record(struct draft_tunings *tunings, const cubinet_tuning *tuning)
{
    size_t place;
    bool is_there = find_tuning(tunings, tuning, &place);
    if (is_there && !tuning_is_later(tuning, &tunings->items[place]->known)) {
        return CUBINET_OK;
    }
    struct draft_tuning *copy = copy_tuning(tuning);
    if (!copy) {
        return cbn_error_memory();
    }
    if (is_there) {
        tuning_free(tunings->items[place]);
    } else {
        struct draft_tuning **items = open_gap(tunings->items, tunings->count, sizeof(*items), place);
        if (!items) {
            tuning_free(copy);
            return cbn_error_memory();
        }
        tunings->items = items;
        tunings->count++;
    }
    tunings->items[place] = copy;
    return CUBINET_OK;
}

cubinet_status draft_put_tuning(struct draft_module *module, const cubinet_tuning *tuning)
{
    cubinet_status status = tuning_check(tuning);
    if (!status) {
        status = put_set(&module->tunings, tuning);
    }
    if (!status) {
        status = put_record(&module->tunings, tuning);
    }
    return status ? cbn_error_context(status, "module '%s'", module->name) : CUBINET_OK;
}

cubinet_status draft_put_valid_tuning(struct draft_module *module, const cubinet_tuning *tuning)
{
    struct code_digests digests;
    cubinet_status status = tuning_check(tuning);
    status = status ? status : code_digests_start(module, &digests);
    if (status) {
        return status;
    }
    uint32_t row = code_digests_find(&digests, tuning);
    code_digests_end(&digests);
    if (row == UINT32_MAX) {
        char target[CUBINET_TARGET_NAME_SIZE];
        return cbn_error(CUBINET_ERROR_NOT_FOUND,
                         "module '%s': the tuning record of '%s' on '%s' is of another image for %s than the "
                         "module has: tune this archive, or merge the record into one with that image",
                         module->name, tuning->what, tuning->gpu,
                         cubinet_target_name(tuning->target, target));
    }
    return draft_put_tuning(module, tuning);
}

/* Keeps the records for which `is_dropped` is false. */
static void drop_if(struct draft_tunings *tunings, const void *context,
                    bool (*is_dropped)(const struct draft_tuning *tuning, const void *context))
{
    size_t left = 0;
    for (size_t i = 0; i < tunings->count; i++) {
        if (is_dropped(tunings->items[i], context)) {
            tuning_free(tunings->items[i]);
        } else {
            tunings->items[left++] = tunings->items[i];
        }
    }
    tunings->count = left;
}

static bool is_of_what(const struct draft_tuning *tuning, const void *what)
{
    return !what || strcmp(tuning->what, what) == 0;
}

void draft_drop_tunings(struct draft_module *module, const char *what)
{
    drop_if(&module->tunings, what, is_of_what);
}

static bool is_of_image(const struct draft_tuning *tuning, const void *context)
{
    const struct draft_image *image = context;
    return draft_image_has(image, tuning->kernel) &&
           cubinet_target_compare(image->target, tuning->known.target) == 0;
}

void draft_drop_tunings_of(struct draft_module *module, const struct draft_image *image)
{
    drop_if(&module->tunings, image, is_of_image);
}
