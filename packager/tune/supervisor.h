/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the processes that measure, one on each device, until all is measured or a signal comes. */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include "tune/jobs.h"
#include "tune/outcome.h"

/* Where one of the processes is, for who shows it. */
struct supervised {
    int device;
    uint32_t set;
    const struct worker_state *state;
};

struct supervisor {
    const char *archive;
    const struct tune_description *description;
    const struct tune_options *options;
    const struct tune_devices *devices;
    struct jobs *jobs;
    /* Called for every outcome, which it takes over; an error ends all. */
    cubinet_status (*take)(void *user, struct outcome *outcome);
    /* Called several times a second; NULL: not at all. */
    void (*show)(void *user, const struct supervised *running, size_t count);
    void *user;
};

/* out_signal: the one that ended it before all was measured; 0: none did */
cubinet_status supervisor_run(const struct supervisor *supervisor, int *out_signal);

#endif
