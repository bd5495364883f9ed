/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be measured, by sets, and on which kind of GPU. */
#ifndef JOBS_H
#define JOBS_H

#include "tune/devices.h"
#include "tune/worker.h"

/* A set on a kind of GPU: one process measures all of it, as long as no kernel ends it. */
struct job {
    uint32_t group; /* of the devices */
    uint32_t set;
    bool *is_done;              /* for each extent */
    size_t left;                /* extents */
    struct candidate *recorded; /* for each extent, the only one to measure beside the default; NULL: all */
    struct excluded *excluded;
    size_t excluded_count;
    bool is_taken;
};

struct jobs {
    const struct tune_description *description;
    struct job *items;
    size_t count;
    size_t extents;  /* in all */
    size_t finished; /* of them */
};

cubinet_status jobs_make(const struct tune_description *description, const struct tune_devices *devices,
                         struct jobs *out_jobs);
void jobs_free(struct jobs *jobs);

/* One that a device of the group may take; NULL: there is none. */
struct job *jobs_find(struct jobs *jobs, uint32_t group);

/* Marks an extent as measured, or as one that can't be. */
void jobs_finish(struct jobs *jobs, struct job *job, uint32_t extent);

/* Takes an extent away that nobody wants measured, or that was measured before. */
void jobs_skip(struct jobs *jobs, struct job *job, uint32_t extent);

/* Leaves out a candidate from now on. `reason` is copied. CUBINET_ERROR_LIMIT if it was left out before: then
 * something else is wrong. */
cubinet_status job_exclude(struct job *job, const struct excluded *excluded);

#endif
