/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tuning_of.h"

#include "archive/draft_tuning.h"
#include "loader/core/support/error.h"
#include "tune/subjects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static uint64_t nanoseconds(double time)
{
    return time < 1 ? 1 : (uint64_t)llround(time);
}

/* Which instance is launched without tuning. */
static size_t default_instance(const struct tune_set *set)
{
    size_t found = 0;
    for (size_t i = 0; set->default_kernel && i < set->instance_count; i++) {
        if (strcmp(set->instances[i].kernel, set->default_kernel) == 0) {
            found = i;
        }
    }
    return found;
}

static void set_times(const struct outcome *outcome, cubinet_tuning *tuning)
{
    const struct trial *chosen = &outcome->trials[outcome->chosen];
    tuning->time_ns = nanoseconds(chosen->time);
    tuning->noise_ns = (uint64_t)ceil(chosen->noise);
    if (outcome->has_default) {
        tuning->untuned_time_ns = nanoseconds(outcome->trials[0].time);
        tuning->untuned_noise_ns = (uint64_t)ceil(outcome->trials[0].noise);
    }
    tuning->candidate_count = (uint32_t)outcome->trial_count;
    tuning->measurement_count = chosen->used;
}

static void set_launch(const struct tune_set *set, const struct outcome *outcome, cubinet_tuning *tuning)
{
    const struct candidate *chosen = &outcome->trials[outcome->chosen].candidate;
    tuning->kernel = outcome->kernels.items[chosen->instance];
    tuning->default_kernel = outcome->kernels.items[default_instance(set)];
    memcpy(tuning->block, chosen->block, sizeof(tuning->block));
    memcpy(tuning->cluster, chosen->cluster, sizeof(tuning->cluster));
    tuning->grid_rule = chosen->grid_rule;
    memcpy(tuning->grid_value, chosen->grid_value, sizeof(tuning->grid_value));
    memcpy(tuning->grid_limit, chosen->grid_limit, sizeof(tuning->grid_limit));
    tuning->dynamic_shared_bytes = chosen->shared;
    tuning->flags = (outcome_keeps_default(outcome) ? CUBINET_TUNING_DEFAULT : 0) |
                    (outcome->is_cold ? CUBINET_TUNING_COLD : 0) |
                    (outcome->is_checked ? CUBINET_TUNING_CHECKED : 0) |
                    (set->is_cooperative ? CUBINET_TUNING_COOPERATIVE : 0);
}

static cubinet_status put(const cubinet_archive *archive, const struct tune_set *set,
                          const struct outcome *outcome, const char *const *names, struct draft *draft)
{
    cubinet_tuning tuning = {
        .size = sizeof(tuning),
        .what = subject_name(archive, set),
        .instances = names,
        .instance_count = (uint32_t)outcome->kernels.count,
        .gpu = outcome->gpu,
        .compute = outcome->compute,
        .multiprocessor_count = outcome->multiprocessors,
        .date = outcome->date,
        .driver_version = outcome->driver_version,
        .toolkit = outcome->toolkit,
        .sm_clock_mhz = outcome->sm_clock,
        .memory_clock_mhz = outcome->memory_clock,
    };
    memcpy(tuning.extent, set->extents[outcome->extent].sides, sizeof(tuning.extent));
    memcpy(tuning.digest, outcome->digest, sizeof(tuning.digest));
    cubinet_status status = cubinet_target_parse(outcome->target, &tuning.target);
    set_launch(set, outcome, &tuning);
    set_times(outcome, &tuning);
    struct draft_module *module = draft_module(draft, set->module);
    if (!module) {
        return cbn_error_memory();
    }
    return status ? status : draft_put_valid_tuning(module, &tuning);
}

cubinet_status tuning_put(const cubinet_archive *archive, const struct tune_set *set,
                          const struct outcome *outcome, struct draft *draft)
{
    size_t count = outcome->kernels.count;
    const char **names = calloc(count + 1, sizeof(*names));
    if (!names) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = outcome->kernels.items[i];
    }
    qsort(names, count, sizeof(*names), compare_names);
    cubinet_status status = put(archive, set, outcome, names, draft);
    free(names);
    return status ? cbn_error_context(status, "set '%s'", set->name) : CUBINET_OK;
}
