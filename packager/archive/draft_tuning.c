/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/draft_tuning.h"

#include "archive/draft.h"
#include "archive/tuning_order.h"
#include "base/array.h"
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

static int compare_set(const void *what, const void *set)
{
    return strcmp(what, ((const struct draft_tuned_set *)set)->what);
}

/* Where the set of that name is, or belongs. */
static bool find_set(const struct draft_tunings *tunings, const char *what, size_t *out_place)
{
    return array_find(tunings->sets, tunings->set_count, sizeof(*tunings->sets), what, compare_set,
                      out_place);
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
                                       ? array_open(tunings->sets, tunings->set_count, sizeof(*sets), place)
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

static int compare_instance(const void *name, const void *instance)
{
    return strcmp(name, *(char *const *)instance);
}

/* Keeps the list in order. A failure is the list's. */
static void add_instance(struct cbn_text_list *list, const char *name)
{
    size_t place;
    if (!array_find(list->items, list->count, sizeof(*list->items), name, compare_instance, &place) &&
        !cbn_text_list_add(list, name)) {
        char *added = list->items[list->count - 1];
        memmove(list->items + place + 1, list->items + place,
                (list->count - 1 - place) * sizeof(*list->items));
        list->items[place] = added;
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

static int compare_tuning(const void *wanted, const void *item)
{
    const cubinet_tuning *tuning = wanted;
    const cubinet_tuning *there = &(*(struct draft_tuning *const *)item)->known;
    int order = tuning_compare_keys(tuning, there);
    return order ? order : memcmp(tuning->digest, there->digest, sizeof(there->digest));
}

/* Where the record with a record's key is, or belongs. */
static bool find_tuning(const struct draft_tunings *tunings, const cubinet_tuning *tuning, size_t *out_place)
{
    return array_find(tunings->items, tunings->count, sizeof(struct draft_tuning *), tuning, compare_tuning,
                      out_place);
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
        struct draft_tuning **items = array_open(tunings->items, tunings->count, sizeof(*items), place);
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
