/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/assemble_all.h"

#include "image/split_note.h"
#include "process/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGE_PTX = 1 << 18, /* bytes that take a quarter of a second: worth a thread, of which others may know */
    MOST_THREADS = 128,
};

/* What the threads share. */
struct work {
    const struct cbn_nvjitlink *nvjitlink;
    const struct assemble_job *jobs;
    size_t count;
    bool can_split;
    bool newest_first; /* newer architectures come later, and take longer */
    struct assemble_outcome *outcomes;
    atomic_size_t started;      /* jobs */
    atomic_size_t first_failed; /* `count`: none */
};

/* One thread here, and how many it may have work on a job. */
struct worker {
    struct work *work;
    pthread_t thread;
    const size_t *ids; /* of its threads, to be given back; the process's own has none */
    size_t id_count;
    size_t thread_count;
};

static void note_failure(struct work *work, size_t job)
{
    size_t first = atomic_load(&work->first_failed);
    while (job < first && !atomic_compare_exchange_weak(&work->first_failed, &first, job)) {
    }
}

static void run_job(const struct worker *worker, size_t number)
{
    struct work *work = worker->work;
    struct assemble_job job = work->jobs[number];
    struct assemble_outcome *outcome = &work->outcomes[number];
    job.threads = work->can_split ? worker->thread_count : 0;
    outcome->is_done = true;
    outcome->status = assemble_ptx(work->nvjitlink, &job, &outcome->made);
    if (outcome->status) {
        outcome->error = strdup(cubinet_error_message()); /* it is this thread's */
        note_failure(work, number);
    }
}

static void *run_jobs(void *data)
{
    const struct worker *worker = data;
    struct work *work = worker->work;
    for (size_t started; (started = atomic_fetch_add(&work->started, 1)) < work->count;) {
        size_t number = work->newest_first ? work->count - 1 - started : started;
        if (number < atomic_load(&work->first_failed)) {
            run_job(worker, number);
        }
    }
    threads_give_back(worker->ids, worker->id_count);
    return NULL;
}

/* Shares out `taken` threads beside the process's own, and runs the workers to their end. */
static void run_workers(struct work *work, const size_t *ids, size_t taken)
{
    struct worker workers[MOST_THREADS];
    size_t total = taken + 1;
    size_t count = total < work->count ? total : work->count;
    size_t used = 0;
    size_t running = 1;
    work->newest_first = count > 1;
    for (size_t i = 0; i < count; i++) {
        size_t share = total / count + (i < total % count);
        size_t own = i == 0;
        workers[i] = (struct worker){work, .ids = ids + used, .id_count = share - own, .thread_count = share};
        used += share - own;
    }
    while (running < count && threads_begin(&workers[running].thread, run_jobs, &workers[running])) {
        running++;
    }
    for (size_t i = running; i < count; i++) {
        threads_give_back(workers[i].ids, workers[i].id_count);
    }
    run_jobs(&workers[0]);
    for (size_t i = 1; i < running; i++) {
        pthread_join(workers[i].thread, NULL);
    }
}

/* Bytes of PTX for the first target. */
static size_t size_of_first(const struct assemble_job *jobs, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count && cubinet_target_compare(jobs[i].target, jobs[0].target) == 0; i++) {
        size += jobs[i].size;
    }
    return size;
}

void assemble_all(const struct cbn_nvjitlink *nvjitlink, const struct assemble_job *jobs, size_t count,
                  bool can_split, struct assemble_outcome *outcomes)
{
    bool is_large = size_of_first(jobs, count) >= LARGE_PTX;
    size_t ids[MOST_THREADS - 1];
    size_t wanted = !is_large ? 0 : can_split ? count * SPLIT_NOTE_MOST_THREADS - 1 : count - 1;
    struct work work = {
        .nvjitlink = nvjitlink,
        .jobs = jobs,
        .count = count,
        .can_split = is_large && can_split,
        .outcomes = outcomes,
        .first_failed = count,
    };
    run_workers(&work, ids, threads_take(wanted < MOST_THREADS - 1 ? wanted : MOST_THREADS - 1, ids));
}

void assemble_outcomes_free(struct assemble_outcome *outcomes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assembled_free(&outcomes[i].made);
        free(outcomes[i].error);
    }
}
