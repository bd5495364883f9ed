/* SPDX-License-Identifier: Apache-2.0 */
/* The process that measures one set on one device. A kernel may end it, or never end: then another one goes
 * on, without the candidate that did. */
#ifndef WORKER_H
#define WORKER_H

#include "tune/outcome.h"

#include <stdatomic.h>

/* How to measure. */
struct tune_options {
    bool is_cold;          /* caches are emptied before every launch */
    bool keeps_all;        /* every candidate is timed in all rounds */
    uint32_t rounds;       /* at most */
    double resolution;     /* share of the time that two candidates have to differ by */
    uint64_t seed;         /* of the order */
    uint32_t hang_seconds; /* without a step: a kernel hangs */
};

/* A candidate that ended a process. */
struct excluded {
    uint32_t extent;
    struct candidate candidate;
    enum trial_state state;
    char *reason;
};

enum worker_phase { WORKER_STARTS, WORKER_PREPARES, WORKER_CHECKS, WORKER_TIMES, WORKER_REPORTS };

/* In memory that the processes share: where a worker is. */
struct worker_state {
    _Atomic uint64_t steps; /* counts all that is done: it stands still if a kernel hangs */
    _Atomic uint32_t phase; /* enum worker_phase */
    _Atomic uint32_t extent;
    _Atomic uint32_t done; /* of `total`: checks, or rounds */
    _Atomic uint32_t total;
    _Atomic uint32_t left;      /* candidates in the race */
    _Atomic uint64_t best;      /* picoseconds: the least median so far; 0: none */
    struct candidate candidate; /* that is launched at the moment */
    bool is_reference;          /* and it is the one that makes the right results */
};

struct worker_task {
    const char *archive;
    const struct tune_description *description;
    const struct tune_options *options;
    uint32_t set;
    int device;
    const bool *is_done;              /* extents of the set that are not to be measured */
    const struct candidate *recorded; /* for each extent, the only one beside the default; NULL: all */
    const struct excluded *excluded;
    size_t excluded_count;
    struct worker_state *state;
    int output; /* a pipe: outcomes, one line of JSON each */
};

/* Measures, in a process of its own, and returns its exit status. */
int worker_run(const struct worker_task *task);

#endif
