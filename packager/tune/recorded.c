/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/recorded.h"

#include "loader/core/support/error.h"
#include "tune/subjects.h"

#include <cubinet/tuning.h>

#include <math.h>
#include <string.h>

static bool is_of_device(const cubinet_tuning *tuning, const struct tune_device *device)
{
    return strcmp(tuning->gpu, device->name) == 0 && tuning->compute == device->compute &&
           tuning->multiprocessor_count == device->multiprocessors;
}

static bool find_instance(const cubinet_archive *archive, const struct tune_set *set, const char *kernel,
                          uint32_t *out_instance)
{
    for (uint32_t i = 0; i < set->instance_count; i++) {
        const char *name = subject_kernel(archive, set, i);
        if (name && strcmp(name, kernel) == 0) {
            *out_instance = i;
            return true;
        }
    }
    return false;
}

static cubinet_status take(const cubinet_archive *archive, const struct tune_set *set, uint32_t extent,
                           const cubinet_tuning *tuning, struct recorded *record)
{
    struct candidate candidate = {.grid_rule = tuning->grid_rule, .shared = tuning->dynamic_shared_bytes};
    memcpy(candidate.block, tuning->block, sizeof(candidate.block));
    memcpy(candidate.cluster, tuning->cluster, sizeof(candidate.cluster));
    memcpy(candidate.grid_value, tuning->grid_value, sizeof(candidate.grid_value));
    memcpy(candidate.grid_limit, tuning->grid_limit, sizeof(candidate.grid_limit));
    if (!find_instance(archive, set, tuning->kernel, &candidate.instance)) {
        return CUBINET_OK; /* of an instance that the description does not have */
    }
    /* Of one that is void and one that is not, the latter counts. */
    bool is_void = tuning->image == CUBINET_UNKNOWN;
    if (record->time > 0 && is_void) {
        return CUBINET_OK;
    }
    *record = (struct recorded){.candidate = candidate,
                                .time = (double)tuning->time_ns,
                                .noise = (double)tuning->noise_ns,
                                .is_void = is_void,
                                .is_cold = (tuning->flags & CUBINET_TUNING_COLD) != 0};
    return candidate_set_grid(&record->candidate, &set->extents[extent]);
}

cubinet_status recorded_find(const cubinet_archive *archive, const struct tune_set *set,
                             const struct tune_device *device, struct recorded *out_records)
{
    uint32_t module = 0;
    uint32_t count = 0;
    const char *name = subject_name(archive, set);
    cubinet_status status = cubinet_archive_find_module(archive, set->module, &module);
    memset(out_records, 0, set->extent_count * sizeof(*out_records));
    status = status ? status : cubinet_archive_get_tuning_count(archive, module, &count);
    for (uint32_t i = 0; !status && i < count; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning)};
        status = cubinet_archive_get_tuning(archive, module, i, &tuning);
        if (status || strcmp(tuning.what, name) != 0 || !is_of_device(&tuning, device)) {
            continue;
        }
        for (uint32_t j = 0; !status && j < set->extent_count; j++) {
            if (memcmp(tuning.extent, set->extents[j].sides, sizeof(tuning.extent)) == 0) {
                status = take(archive, set, j, &tuning, &out_records[j]);
            }
        }
    }
    return status;
}

bool recorded_has_drifted(const struct recorded *record, const struct outcome *outcome, double resolution,
                          double *out_time)
{
    *out_time = 0;
    for (size_t i = 0; !outcome->error && i < outcome->trial_count; i++) {
        const struct trial *trial = &outcome->trials[i];
        if (trial->state == TRIAL_TIMED && candidate_is_same(&trial->candidate, &record->candidate)) {
            double allowed = trial->noise + record->noise + resolution * record->time;
            *out_time = trial->time;
            return fabs(trial->time - record->time) > allowed;
        }
    }
    return true;
}
