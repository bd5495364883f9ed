/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/draft_tuning.h"

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
}

void draft_tunings_free(struct draft_tunings *tunings)
{
    for (size_t i = 0; i < tunings->set_count; i++) {
        set_free(&tunings->sets[i]);
    }
    for (size_t i = 0; i < tunings->count; i++) {
        tuning_free(&tunings->items[i]);
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

static struct draft_tuned_set *find_set(const struct draft_tunings *tunings, const char *what)
{
    for (size_t i = 0; i < tunings->set_count; i++) {
        if (strcmp(tunings->sets[i].what, what) == 0) {
            return &tunings->sets[i];
        }
    }
    return NULL;
}

static struct draft_tuned_set *add_set(struct draft_tunings *tunings, const cubinet_tuning *tuning)
{
    struct draft_tuned_set *sets = more_room(tunings->sets, tunings->set_count, sizeof(*sets));
    if (!sets) {
        return NULL;
    }
    tunings->sets = sets;
    struct draft_tuned_set *set = &sets[tunings->set_count];
    *set = (struct draft_tuned_set){
        .what = strdup(tuning->what), .default_kernel = strdup(tuning->default_kernel), .date = tuning->date};
    if (!set->what || !set->default_kernel) {
        set_free(set);
        return NULL;
    }
    tunings->set_count++;
    return set;
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

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static cubinet_status put_set(struct draft_tunings *tunings, const cubinet_tuning *tuning)
{
    struct draft_tuned_set *set = find_set(tunings, tuning->what);
    set = set ? set : add_set(tunings, tuning);
    cubinet_status status = set ? settle_default(set, tuning) : cbn_error_memory();
    if (status) {
        return status;
    }
    cbn_text_list_add_once(&set->instances, tuning->kernel);
    cbn_text_list_add_once(&set->instances, tuning->default_kernel);
    for (uint32_t i = 0; i < tuning->instance_count; i++) {
        cbn_text_list_add_once(&set->instances, tuning->instances[i]);
    }
    if (set->instances.failed) {
        return cbn_error_memory();
    }
    qsort(set->instances.items, set->instances.count, sizeof(*set->instances.items), compare_names);
    return CUBINET_OK;
}

static cubinet_status copy_tuning(const cubinet_tuning *tuning, struct draft_tuning *out_copy)
{
    struct draft_tuning copy = {*tuning, strdup(tuning->what), strdup(tuning->kernel), strdup(tuning->gpu)};
    if (!copy.what || !copy.kernel || !copy.gpu) {
        tuning_free(&copy);
        return cbn_error_memory();
    }
    copy.known.what = copy.what;
    copy.known.kernel = copy.kernel;
    copy.known.gpu = copy.gpu;
    copy.known.instances = NULL;
    copy.known.instance_count = 0;
    copy.known.default_kernel = NULL;
    copy.known.image = CUBINET_UNKNOWN;
    copy.known.part = CUBINET_UNKNOWN;
    *out_copy = copy;
    return CUBINET_OK;
}

static struct draft_tuning *find_tuning(const struct draft_tunings *tunings, const cubinet_tuning *tuning)
{
    for (size_t i = 0; i < tunings->count; i++) {
        const cubinet_tuning *there = &tunings->items[i].known;
        if (memcmp(there->digest, tuning->digest, sizeof(there->digest)) == 0 &&
            tuning_compare_keys(there, tuning) == 0) {
            return &tunings->items[i];
        }
    }
    return NULL;
}

static cubinet_status put_record(struct draft_tunings *tunings, const cubinet_tuning *tuning)
{
    struct draft_tuning *there = find_tuning(tunings, tuning);
    struct draft_tuning copy;
    if (there && !tuning_is_later(tuning, &there->known)) {
        return CUBINET_OK;
    }
    cubinet_status status = copy_tuning(tuning, &copy);
    if (status) {
        return status;
    }
    if (there) {
        tuning_free(there);
        *there = copy;
        return CUBINET_OK;
    }
    struct draft_tuning *items = more_room(tunings->items, tunings->count, sizeof(*items));
    if (!items) {
        tuning_free(&copy);
        return cbn_error_memory();
    }
    tunings->items = items;
    items[tunings->count++] = copy;
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
        if (is_dropped(&tunings->items[i], context)) {
            tuning_free(&tunings->items[i]);
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
    bool has_kernel = false;
    for (size_t i = 0; i < image->use_count; i++) {
        has_kernel = has_kernel || strcmp(image->uses[i].kernel, tuning->kernel) == 0;
    }
    return has_kernel && cubinet_target_compare(image->target, tuning->known.target) == 0;
}

void draft_drop_tunings_of(struct draft_module *module, const struct draft_image *image)
{
    drop_if(&module->tunings, image, is_of_image);
}
