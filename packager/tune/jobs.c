/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/jobs.h"

#include "base/array.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static cubinet_status add_job(struct jobs *jobs, uint32_t group, uint32_t set)
{
    size_t extents = jobs->description->sets[set].extent_count;
    struct job *job = &jobs->items[jobs->count++];
    *job = (struct job){.group = group, .set = set, .left = extents};
    job->is_done = calloc(extents, sizeof(bool));
    jobs->extents += extents;
    return job->is_done ? CUBINET_OK : cbn_error_memory();
}

cubinet_status jobs_make(const struct tune_description *description, const struct tune_devices *devices,
                         struct jobs *out_jobs)
{
    struct jobs jobs = {.description = description};
    cubinet_status status = CUBINET_OK;
    jobs.items = calloc(devices->count * description->set_count, sizeof(*jobs.items));
    if (!jobs.items) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < devices->count; i++) {
        bool is_first = devices->items[i].group == i;
        for (uint32_t j = 0; is_first && !status && j < description->set_count; j++) {
            status = add_job(&jobs, i, j);
        }
    }
    if (status) {
        jobs_free(&jobs);
        return status;
    }
    *out_jobs = jobs;
    return CUBINET_OK;
}

void jobs_free(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++) {
        struct job *job = &jobs->items[i];
        for (size_t j = 0; j < job->excluded_count; j++) {
            free(job->excluded[j].reason);
        }
        free(job->excluded);
        free(job->is_done);
        free(job->recorded);
    }
    free(jobs->items);
    *jobs = (struct jobs){0};
}

struct job *jobs_find(struct jobs *jobs, uint32_t group)
{
    for (size_t i = 0; i < jobs->count; i++) {
        struct job *job = &jobs->items[i];
        if (job->group == group && !job->is_taken && job->left > 0) {
            return job;
        }
    }
    return NULL;
}

void jobs_finish(struct jobs *jobs, struct job *job, uint32_t extent)
{
    if (!job->is_done[extent]) {
        job->is_done[extent] = true;
        job->left--;
        jobs->finished++;
    }
}

void jobs_skip(struct jobs *jobs, struct job *job, uint32_t extent)
{
    if (!job->is_done[extent]) {
        job->is_done[extent] = true;
        job->left--;
        jobs->extents--;
    }
}

cubinet_status job_exclude(struct job *job, const struct excluded *excluded)
{
    for (size_t i = 0; i < job->excluded_count; i++) {
        if (job->excluded[i].extent == excluded->extent &&
            candidate_is_same(&job->excluded[i].candidate, &excluded->candidate)) {
            return cbn_error(CUBINET_ERROR_LIMIT, "%s", excluded->reason);
        }
    }
    struct excluded *items = array_grow(job->excluded, job->excluded_count, sizeof(*items));
    char *reason = strdup(excluded->reason);
    if (!items || !reason) {
        free(reason);
        job->excluded = items ? items : job->excluded;
        return cbn_error_memory();
    }
    job->excluded = items;
    items[job->excluded_count] = *excluded;
    items[job->excluded_count++].reason = reason;
    return CUBINET_OK;
}
