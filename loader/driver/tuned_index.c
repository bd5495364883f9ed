/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/tuned_index.h"

#include "loader/core/archive/digest.h"
#include "loader/core/support/error.h"
#include "loader/core/tuning/tuning_grid.h"
#include "loader/driver/multiprocessors.h"

#include <stdlib.h>
#include <string.h>

/* Of modules without records. It is in no module's keeping. */
static struct cbn_tuned_index nothing;

void cbn_tuned_index_free(struct cbn_tuned_index *index)
{
    if (index && index != &nothing) {
        free(index->records);
        free(index->sets);
        free(index->names);
        free(index->kernels);
        free(index->room);
        free(index);
    }
}

static uint32_t slot_of(const struct cbn_tuned_index *index, const char *text)
{
    struct cbn_digest digest = cbn_digest(text, strlen(text));
    return cbn_get32(digest.bytes) & (index->name_slots - 1);
}

const struct cbn_tuned_set *cbn_tuned_index_find(const struct cbn_tuned_index *index, const char *what)
{
    if (index->name_slots == 0) {
        return NULL;
    }
    uint32_t slot = slot_of(index, what);
    while (index->names[slot].text) {
        if (strcmp(index->names[slot].text, what) == 0) {
            return &index->sets[index->names[slot].set];
        }
        slot = (slot + 1) & (index->name_slots - 1);
    }
    return NULL;
}

/* The first of that name stays. */
static void add_name(struct cbn_tuned_index *index, const char *text, uint32_t set)
{
    uint32_t slot = slot_of(index, text);
    while (index->names[slot].text) {
        if (strcmp(index->names[slot].text, text) == 0) {
            return;
        }
        slot = (slot + 1) & (index->name_slots - 1);
    }
    index->names[slot] = (struct cbn_tuned_name){text, set};
}

static cubinet_kernel_info kernel_info(const struct cubinet_module *module, uint32_t kernel)
{
    cubinet_kernel_info info = {.size = sizeof(info)}; /* the module was checked, so this can't fail */
    cubinet_archive_get_kernel(module->archive, module->index, kernel, &info);
    return info;
}

/* The kernel of that lowered name, in whose order kernels are. */
static bool find_kernel(const struct cubinet_module *module, const char *name, uint32_t *out_kernel)
{
    uint32_t low = 0;
    uint32_t high = module->kernel_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(name, kernel_info(module, middle).name);
        if (order == 0) {
            *out_kernel = middle;
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

/* In a green context there are other multiprocessors to fill than what was measured had. */
static bool is_like(const struct cubinet_module *module, const cubinet_tuning *tuning)
{
    const struct cbn_device *device = module->device;
    return tuning->compute == (uint32_t)(10 * device->compute_major + device->compute_minor) &&
           tuning->multiprocessor_count == cbn_multiprocessors(module) &&
           strcmp(tuning->gpu, device->name) == 0;
}

/* Adds a record, if it is true of the module; its kernel is in the image then. */
static void add_record(const struct cubinet_module *module, const cubinet_tuning *tuning, uint32_t number,
                       struct cbn_tuned_index *index)
{
    uint32_t kernel = 0;
    if (tuning->image != module->image || !cbn_tuning_has_rule(tuning) || !is_like(module, tuning) ||
        !find_kernel(module, tuning->kernel, &kernel)) {
        return;
    }
    struct cbn_tuned_record *record = &index->records[index->record_count++];
    record->tuning = *tuning;
    record->number = number;
    record->kernel = kernel;
    record->has_grid = cbn_tuning_grid(tuning, tuning->extent, record->grid);
    index->sets[index->set_count - 1].group.extents.count++;
}

/* Records come in the order of sets. */
static void add_records(const struct cubinet_module *module, uint32_t count, struct cbn_tuned_index *index)
{
    for (uint32_t i = 0; i < count; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning)}; /* it exists, so this can't fail */
        cubinet_archive_get_tuning(module->archive, module->index, i, &tuning);
        if (index->set_count == 0 || index->sets[index->set_count - 1].any.what != tuning.what) {
            index->sets[index->set_count++] =
                (struct cbn_tuned_set){.any = tuning, .first = index->record_count};
        }
        add_record(module, &tuning, i, index);
    }
}

/* A set that is one kernel is found by its expression, too. */
static void add_names(const struct cubinet_module *module, struct cbn_tuned_index *index)
{
    for (uint32_t i = 0; i < index->set_count; i++) {
        add_name(index, index->sets[i].any.what, i);
    }
    for (uint32_t i = 0; i < index->set_count; i++) {
        uint32_t kernel = 0;
        if (find_kernel(module, index->sets[i].any.what, &kernel)) {
            add_name(index, kernel_info(module, kernel).expression, i);
        }
    }
}

/* Takes room for a group of so many records, which are added one by one. */
static void start_group(struct cbn_tuned_group *group, uint32_t count, int32_t **io_room)
{
    uint32_t room = cbn_extents_room(count);
    group->records = *io_room;
    for (int i = 0; i < 3; i++) {
        group->extents.logs[i] = *io_room + (size_t)(i + 1) * room;
    }
    *io_room += (size_t)4 * room;
}

/* Every record is copied to the places after it, which the next one takes. */
static void put_record(const struct cbn_tuned_index *index, struct cbn_tuned_group *group, uint32_t place,
                       uint32_t record, uint32_t room)
{
    group->records[place] = (int32_t)record;
    for (int i = 0; i < 3; i++) { /* after the numbers: see start_group() */
        int32_t *logs = group->records + (size_t)(i + 1) * room;
        int32_t log = cbn_extent_log(index->records[record].tuning.extent[i]);
        for (uint32_t j = place; j < cbn_extents_room(place + 1); j++) {
            logs[j] = log;
        }
        group->extents.axes = log && group->extents.axes < i + 1 ? i + 1 : group->extents.axes;
    }
}

static void group_sets(struct cbn_tuned_index *index, int32_t **io_room)
{
    for (uint32_t i = 0; i < index->set_count; i++) {
        struct cbn_tuned_set *set = &index->sets[i];
        start_group(&set->group, set->group.extents.count, io_room);
        for (uint32_t j = 0; j < set->group.extents.count; j++) {
            put_record(index, &set->group, j, set->first + j, cbn_extents_room(set->group.extents.count));
        }
    }
}

/* Adds to their kernels' groups the records that are of the kernel alone, or the others. */
static void group_records(struct cbn_tuned_index *index, bool of_kernel, const uint32_t *counts)
{
    for (uint32_t i = 0; i < index->record_count; i++) {
        const struct cbn_tuned_record *record = &index->records[i];
        struct cbn_tuned_group *group = &index->kernels[record->kernel];
        if ((strcmp(record->tuning.what, record->tuning.kernel) == 0) == of_kernel) {
            put_record(index, group, group->extents.count++, i, cbn_extents_room(counts[record->kernel]));
        }
    }
}

/* What was found for a kernel alone comes first: of two records that are as near, that is taken. */
static cubinet_status group_kernels(const struct cubinet_module *module, struct cbn_tuned_index *index,
                                    int32_t *room)
{
    uint32_t *counts = calloc(module->kernel_count, sizeof(*counts));
    index->kernels = calloc(module->kernel_count, sizeof(*index->kernels));
    if (!counts || !index->kernels) {
        free(counts);
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < index->record_count; i++) {
        counts[index->records[i].kernel]++;
    }
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        start_group(&index->kernels[i], counts[i], &room);
    }
    group_records(index, true, counts);
    group_records(index, false, counts);
    free(counts);
    return CUBINET_OK;
}

static cubinet_status fill(const struct cubinet_module *module, uint32_t count, struct cbn_tuned_index *index)
{
    /* Each record has four in the group of its set and in that of its kernel, which may have no other. */
    enum { NUMBERS = 2 * 4 * CBN_EXTENT_LANES };
    for (index->name_slots = 4; index->name_slots < 4 * (uint64_t)count; index->name_slots *= 2) {
    }
    index->records = calloc(count, sizeof(*index->records));
    index->sets = calloc(count, sizeof(*index->sets));
    index->names = calloc(index->name_slots, sizeof(*index->names));
    index->room = calloc(count, NUMBERS * sizeof(*index->room));
    if (!index->records || !index->sets || !index->names || !index->room) {
        return cbn_error_memory();
    }
    add_records(module, count, index);
    add_names(module, index);
    int32_t *room = index->room;
    group_sets(index, &room);
    return index->record_count > 0 ? group_kernels(module, index, room) : CUBINET_OK;
}

static cubinet_status make(const struct cubinet_module *module, struct cbn_tuned_index **out_index)
{
    uint32_t count = 0;
    cubinet_status status = cubinet_archive_get_tuning_count(module->archive, module->index, &count);
    if (status || count == 0) {
        *out_index = &nothing;
        return status;
    }
    struct cbn_tuned_index *index = calloc(1, sizeof(*index));
    status = index ? fill(module, count, index) : cbn_error_memory();
    if (status) {
        cbn_tuned_index_free(index);
        return status;
    }
    *out_index = index;
    return CUBINET_OK;
}

cubinet_status cbn_tuned_index_get(const struct cubinet_module *module,
                                   const struct cbn_tuned_index **out_index)
{
    /* Two threads may both make one: the first to be done is kept. A module's kernels are the same with it.
     */
    _Atomic(struct cbn_tuned_index *) *kept = &((struct cubinet_module *)module)->tuned;
    struct cbn_tuned_index *index = atomic_load_explicit(kept, memory_order_acquire);
    struct cbn_tuned_index *fresh = NULL;
    if (index) {
        *out_index = index;
        return CUBINET_OK;
    }
    cubinet_status status = make(module, &fresh);
    if (status) {
        return status;
    }
    if (atomic_compare_exchange_strong(kept, &index, fresh)) {
        index = fresh;
    } else {
        cbn_tuned_index_free(fresh);
    }
    *out_index = index;
    return CUBINET_OK;
}
