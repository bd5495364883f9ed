/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/tuning_tables.h"

#include "archive/tuning_order.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

struct tables {
    struct buffer *sets;
    struct buffer *instances;
    struct buffer *gpus;
    struct buffer *tunings;
    struct buffer *strings;
};

/* The set of a record's row, and the row of its first instance. */
struct place {
    uint32_t set;
    uint32_t first;
    const struct draft_tuned_set *of;
};

static int compare_instance(const void *name, const void *instance)
{
    return strcmp(name, *(char *const *)instance);
}

/* Every kernel that a record names is one. */
static uint32_t instance_number(const struct draft_tuned_set *set, const char *kernel)
{
    char *const *items = set->instances.items;
    char *const *found = bsearch(kernel, items, set->instances.count, sizeof(*items), compare_instance);
    return (uint32_t)(found - items);
}

static struct place add_set(const struct tables *tables, const struct draft_tuned_set *set)
{
    struct place place = {.set = (uint32_t)(tables->sets->size / CBN_TUNED_SET_SIZE),
                          .first = (uint32_t)(tables->instances->size / CBN_INSTANCE_SIZE),
                          .of = set};
    unsigned char row[CBN_TUNED_SET_SIZE];
    cbn_put32(row + CBN_TUNED_SET_WHAT, table_string(tables->strings, set->what));
    cbn_put32(row + CBN_TUNED_SET_FIRST, place.first);
    cbn_put32(row + CBN_TUNED_SET_COUNT, (uint32_t)set->instances.count);
    cbn_put32(row + CBN_TUNED_SET_DEFAULT, place.first + instance_number(set, set->default_kernel));
    buffer_append(tables->sets, row, sizeof(row));
    for (size_t i = 0; i < set->instances.count; i++) {
        unsigned char instance[CBN_INSTANCE_SIZE];
        cbn_put32(instance + CBN_INSTANCE_NAME, table_string(tables->strings, set->instances.items[i]));
        buffer_append(tables->instances, instance, sizeof(instance));
    }
    return place;
}

static int compare_gpus(const void *a, const void *b)
{
    return tuning_compare_gpus(*(const cubinet_tuning *const *)a, *(const cubinet_tuning *const *)b);
}

/* One record of each GPU, in the order of GPUs. The caller frees the array; NULL if memory is out. */
static const cubinet_tuning **list_gpus(const struct ordered_tuning *list, size_t count, size_t *out_count)
{
    const cubinet_tuning **gpus = calloc(count + 1, sizeof(*gpus));
    for (size_t i = 0; gpus && i < count; i++) {
        gpus[i] = &list[i].tuning->known;
    }
    if (gpus) {
        qsort(gpus, count, sizeof(*gpus), compare_gpus);
    }
    *out_count = 0;
    for (size_t i = 0; gpus && i < count; i++) {
        if (*out_count == 0 || tuning_compare_gpus(gpus[*out_count - 1], gpus[i]) != 0) {
            gpus[(*out_count)++] = gpus[i];
        }
    }
    return gpus;
}

static void add_gpu(const struct tables *tables, const cubinet_tuning *gpu)
{
    unsigned char row[CBN_GPU_SIZE] = {0};
    cbn_put32(row + CBN_GPU_NAME, table_string(tables->strings, gpu->gpu));
    cbn_put32(row + CBN_GPU_COMPUTE, gpu->compute);
    cbn_put32(row + CBN_GPU_MULTIPROCESSORS, gpu->multiprocessor_count);
    buffer_append(tables->gpus, row, sizeof(row));
}

static void put_triple(unsigned char *field, const uint32_t values[3])
{
    for (size_t i = 0; i < 3; i++) {
        cbn_put32(field + 4 * i, values[i]);
    }
}

static void put_measured(unsigned char *row, const cubinet_tuning *known)
{
    cbn_put64(row + CBN_TUNING_TIME, known->time_ns);
    cbn_put64(row + CBN_TUNING_NOISE, known->noise_ns);
    cbn_put64(row + CBN_TUNING_UNTUNED_TIME, known->untuned_time_ns);
    cbn_put64(row + CBN_TUNING_UNTUNED_NOISE, known->untuned_noise_ns);
    cbn_put64(row + CBN_TUNING_DATE, known->date);
    cbn_put32(row + CBN_TUNING_CANDIDATES, known->candidate_count);
    cbn_put32(row + CBN_TUNING_MEASUREMENTS, known->measurement_count);
    cbn_put32(row + CBN_TUNING_DRIVER, known->driver_version);
    cbn_put32(row + CBN_TUNING_TOOLKIT, known->toolkit);
    cbn_put32(row + CBN_TUNING_SM_CLOCK, known->sm_clock_mhz);
    cbn_put32(row + CBN_TUNING_MEMORY_CLOCK, known->memory_clock_mhz);
}

/* The default may be another one since: the set has that of its latest record. */
static void put_configuration(unsigned char *row, const cubinet_tuning *known, const char *default_kernel)
{
    bool stays = (known->flags & CUBINET_TUNING_DEFAULT) && strcmp(known->kernel, default_kernel) == 0;
    const uint32_t flags = (stays ? CBN_TUNING_DEFAULT_STAYS : 0U) |
                           (known->flags & CUBINET_TUNING_COLD ? CBN_TUNING_COLD : 0U) |
                           (known->flags & CUBINET_TUNING_CHECKED ? CBN_TUNING_CHECKED : 0U) |
                           (known->flags & CUBINET_TUNING_COOPERATIVE ? CBN_TUNING_COOPERATIVE : 0U);
    cbn_put32(row + CBN_TUNING_FLAGS, flags);
    put_triple(row + CBN_TUNING_BLOCK, known->block);
    put_triple(row + CBN_TUNING_CLUSTER, known->cluster);
    cbn_put32(row + CBN_TUNING_GRID_RULE, known->grid_rule);
    put_triple(row + CBN_TUNING_GRID_VALUE, known->grid_value);
    put_triple(row + CBN_TUNING_GRID_LIMIT, known->grid_limit);
    cbn_put32(row + CBN_TUNING_DYNAMIC_SHARED, known->dynamic_shared_bytes);
}

static void add_tuning(const struct tables *tables, const struct ordered_tuning *ordered,
                       const struct place *place, uint32_t gpu)
{
    const cubinet_tuning *known = &ordered->tuning->known;
    unsigned char row[CBN_TUNING_SIZE] = {0};
    cbn_put32(row + CBN_TUNING_SET, place->set);
    cbn_put32(row + CBN_TUNING_GPU, gpu);
    cbn_put32(row + CBN_TUNING_IMAGE, ordered->row);
    row[CBN_TUNING_KIND] = (unsigned char)known->target.kind;
    row[CBN_TUNING_SUFFIX] = (unsigned char)known->target.suffix;
    cbn_put16(row + CBN_TUNING_NUMBER, (uint16_t)known->target.number);
    for (size_t i = 0; i < 3; i++) {
        cbn_put64(row + CBN_TUNING_EXTENT + 8 * i, known->extent[i]);
    }
    memcpy(row + CBN_TUNING_DIGEST, known->digest, CBN_DIGEST_SIZE);
    cbn_put32(row + CBN_TUNING_INSTANCE, place->first + instance_number(place->of, known->kernel));
    put_configuration(row, known, place->of->default_kernel);
    put_measured(row, known);
    buffer_append(tables->tunings, row, sizeof(row));
}

/* Records are in the order of sets, then GPUs, and the GPU of each is one of the list. */
static void add_all(const struct tables *tables, const struct draft_module *module,
                    const struct ordered_tuning *list, size_t count, const cubinet_tuning **gpus,
                    size_t gpu_count)
{
    struct place place = {0};
    for (size_t i = 0; i < count; i++) {
        const cubinet_tuning *known = &list[i].tuning->known;
        const cubinet_tuning **gpu = bsearch(&known, gpus, gpu_count, sizeof(*gpus), compare_gpus);
        if (!place.of || strcmp(place.of->what, known->what) != 0) {
            place = add_set(tables, draft_find_tuned_set(&module->tunings, known->what));
        }
        add_tuning(tables, &list[i], &place, (uint32_t)(gpu - gpus));
    }
}

cubinet_status tuning_tables_add(struct table_set *set, struct buffer *strings,
                                 const struct draft_module *module)
{
    struct ordered_tuning *list = NULL;
    size_t count = 0;
    if (module->tunings.count == 0) {
        return CUBINET_OK;
    }
    cubinet_status status = tuning_order(module, &list, &count);
    if (status) {
        return status;
    }
    struct tables tables = {
        .sets = table_set_add(set, CBN_TABLE_TUNED_SETS, CBN_TUNED_SET_SIZE),
        .instances = table_set_add(set, CBN_TABLE_INSTANCES, CBN_INSTANCE_SIZE),
        .gpus = table_set_add(set, CBN_TABLE_GPUS, CBN_GPU_SIZE),
        .tunings = table_set_add(set, CBN_TABLE_TUNINGS, CBN_TUNING_SIZE),
        .strings = strings,
    };
    size_t gpu_count;
    const cubinet_tuning **gpus = list_gpus(list, count, &gpu_count);
    for (size_t i = 0; gpus && i < gpu_count; i++) {
        add_gpu(&tables, gpus[i]);
    }
    if (gpus) {
        add_all(&tables, module, list, count, gpus, gpu_count);
    }
    status = gpus ? CUBINET_OK : cbn_error_memory();
    free(gpus);
    free(list);
    return status;
}
