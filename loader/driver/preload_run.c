/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/preload_run.h"

#include "loader/core/support/error.h"
#include "loader/driver/load_devices.h"
#include "loader/driver/load_later.h"
#include "loader/driver/preload_kernels.h"
#include "loader/driver/preload_parts.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A preload under way. The calling thread reports; it works only if there are no other threads. */
struct run {
    const struct cbn_preload_plan *plan;
    struct cbn_preload_task **order;
    size_t count;

    pthread_mutex_t mutex; /* over the rest, and over what became of each task until it is in `ready` */
    pthread_cond_t change; /* a task or a part was done, or there are parts to load */
    size_t begun;          /* of `order` */
    bool stop;             /* nothing more is begun */
    struct cbn_preload_task **ready; /* those that were done, in the order of their ends */
    size_t ready_count;
    size_t abandoned;               /* tasks that were begun, and not done because of `stop` */
    struct cbn_preload_parts *open; /* of modules, for threads that have no task */
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Parts that a thread may take; NULL if there are none. With the mutex held. */
static struct cbn_preload_parts *find_parts(const struct run *run)
{
    struct cbn_preload_parts *parts = run->open;
    while (parts && !cbn_preload_parts_left(parts)) {
        parts = parts->next;
    }
    return run->stop ? NULL : parts;
}

static void close_parts(struct run *run, const struct cbn_preload_parts *parts)
{
    struct cbn_preload_parts **link = &run->open;
    while (*link != parts) {
        link = &(*link)->next;
    }
    *link = parts->next;
}

/* Loads parts with whoever has nothing else to do, until none is left or nothing more is to be begun: then
 * false. */
static bool share_parts(struct run *run, struct cbn_preload_parts *parts)
{
    pthread_mutex_lock(&run->mutex);
    parts->next = run->open;
    run->open = parts;
    pthread_cond_broadcast(&run->change);
    while (!run->stop && cbn_preload_parts_left(parts)) {
        cbn_preload_parts_load(parts, &run->mutex);
    }
    bool is_stopped = cbn_preload_parts_left(parts);
    close_parts(run, parts);
    while (parts->busy) {
        pthread_cond_wait(&run->change, &run->mutex);
    }
    pthread_mutex_unlock(&run->mutex);
    return !is_stopped;
}

/* Of a module that nobody else has yet, in one image. */
static cubinet_status load_parts(struct run *run, struct cubinet_module *module)
{
    bool again = module->code->part_count > 1;
    cubinet_status status = CUBINET_OK;
    while (!status && again) {
        struct cbn_preload_parts parts = cbn_preload_parts_of(module);
        bool is_done = share_parts(run, &parts);
        status = cbn_preload_parts_end(&parts, &again);
        if (!status && !is_done) {
            return CUBINET_ERROR_CANCELLED;
        }
    }
    if (!status) {
        cbn_module_settle(module);
    }
    return status;
}

static cubinet_status load_module(struct run *run, const struct cbn_preload_task *task,
                                  cubinet_module **out_module)
{
    const struct cbn_preload_plan *plan = run->plan;
    if (task->kernels) {
        return cbn_preload_load_kernels(plan, task, out_module);
    }
    struct cbn_load_request request;
    cubinet_status status = cbn_load_request_make(task->archive, task->name, plan->options->load, &request);
    if (status) {
        return status;
    }
    request.haste = CBN_HASTE_READY; /* nothing is left to the first launch */
    status = cbn_module_load_on(plan->driver, plan->device, NULL, &request, out_module);
    return status ? status : load_parts(run, *out_module);
}

/* In the context of the calling thread, if it has one. The primary context is not made current: each module
 * is to retain it for itself. A module that was loaded in part is in `*out_module` on failure, too. */
static cubinet_status load_in_context(struct run *run, const struct cbn_preload_task *task,
                                      cubinet_module **out_module)
{
    const struct cbn_preload_plan *plan = run->plan;
    const struct cbn_driver_table *cu = &plan->driver->cu;
    bool pushed = false;
    cubinet_status status = CUBINET_OK;
    if (!plan->context.is_retained) {
        status = cbn_context_enter(cu, plan->context.handle, &pushed);
    }
    if (status) {
        return status;
    }
    status = task->link ? cubinet_link_complete(task->link, out_module) : load_module(run, task, out_module);
    return cbn_context_leave(cu, pushed, status);
}

static void perform(struct run *run, struct cbn_preload_task *task)
{
    cubinet_module *module = NULL;
    double start = now_ms();
    task->status = load_in_context(run, task, &module);
    if (module && (task->status || (run->plan->options->flags & CUBINET_PRELOAD_NO_MODULES))) {
        struct cbn_kept_error kept = cbn_error_keep();
        cubinet_status unloaded = cubinet_module_unload(module);
        if (task->status) { /* the first failure counts */
            cbn_error_put_back(&kept);
        } else {
            task->status = cbn_error_settle(&kept, unloaded);
        }
        module = NULL;
    }
    task->milliseconds = now_ms() - start;
    task->module = module;
    if (task->status && task->status != CUBINET_ERROR_CANCELLED) {
        task->message = strdup(cubinet_error_message());
        task->driver_result = cubinet_error_driver_result();
    }
}

static bool is_more_to_begin(const struct run *run)
{
    return !run->stop && run->begun < run->count;
}

/* With the mutex held, which it lets go of meanwhile. */
static void perform_next(struct run *run)
{
    struct cbn_preload_task *task = run->order[run->begun++];
    pthread_mutex_unlock(&run->mutex);
    perform(run, task);
    pthread_mutex_lock(&run->mutex);
    if (task->status == CUBINET_ERROR_CANCELLED) {
        run->abandoned++;
    } else {
        run->stop = run->stop || (task->status && !(run->plan->options->flags & CUBINET_PRELOAD_KEEP_GOING));
        run->ready[run->ready_count++] = task;
    }
    pthread_cond_broadcast(&run->change);
}

/* Whether nothing more will be done. */
static bool is_over(const struct run *run)
{
    return run->ready_count + run->abandoned == run->begun && !is_more_to_begin(run);
}

/* Tasks of its own come first, because a thread that has one may need help later. */
static void *work(void *user)
{
    struct run *run = user;
    pthread_mutex_lock(&run->mutex);
    while (!is_over(run)) {
        struct cbn_preload_parts *parts = find_parts(run);
        if (is_more_to_begin(run)) {
            perform_next(run);
        } else if (parts) {
            cbn_preload_parts_load(parts, &run->mutex);
            pthread_cond_broadcast(&run->change);
        } else {
            pthread_cond_wait(&run->change, &run->mutex);
        }
    }
    pthread_mutex_unlock(&run->mutex);
    return NULL;
}

/* Whether the program wants no more. With the mutex held, which it lets go of meanwhile. */
static bool report(struct run *run, size_t done)
{
    const cubinet_preload_options *options = run->plan->options;
    cubinet_preload_result result = cbn_preload_result(run->ready[done - 1]);
    pthread_mutex_unlock(&run->mutex);
    bool is_cancelled = options->progress(options->progress_user, &result, done, run->count) != 0;
    pthread_mutex_lock(&run->mutex);
    run->stop = run->stop || is_cancelled;
    return is_cancelled;
}

/* Reports what is done until nothing more will be. Returns how many were done when the program cancelled, or
 * 0. */
static size_t supervise(struct run *run, size_t workers)
{
    size_t reported = 0;
    size_t cancelled = 0;
    pthread_mutex_lock(&run->mutex);
    for (;;) {
        if (reported < run->ready_count) {
            reported++;
            if (run->plan->options->progress && !cancelled && report(run, reported)) {
                cancelled = reported;
            }
        } else if (workers == 0 && is_more_to_begin(run)) {
            perform_next(run);
        } else if (is_over(run)) {
            break;
        } else {
            pthread_cond_wait(&run->change, &run->mutex);
        }
    }
    pthread_mutex_unlock(&run->mutex);
    return cancelled;
}

/* Processors that the process may use. */
static size_t processor_count(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
        return (size_t)CPU_COUNT(&allowed);
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than a cpu_set_t has room for */
    return online > 0 ? (size_t)online : 1;
}

/* As many threads as there are to be; fewer if the system gives no more. Signals are for the program's own
 * threads. */
static size_t start_workers(struct run *run, pthread_t *threads, size_t wanted)
{
    sigset_t all;
    sigset_t before;
    size_t started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < wanted && pthread_create(&threads[started], NULL, work, run) == 0) {
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static size_t run_in_threads(struct run *run, pthread_t *threads, size_t wanted)
{
    /* With glibc, neither of the two fails. */
    pthread_mutex_init(&run->mutex, NULL);
    pthread_cond_init(&run->change, NULL);
    size_t workers = start_workers(run, threads, wanted > 1 ? wanted : 0);
    size_t cancelled = supervise(run, workers);
    for (size_t i = 0; i < workers; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_cond_destroy(&run->change);
    pthread_mutex_destroy(&run->mutex);
    return cancelled;
}

/* How many threads can be busy at the same time. */
static size_t most_threads(struct cbn_preload_task *const *order, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        most += order[i]->threads;
    }
    return most;
}

cubinet_status cbn_preload_run(const struct cbn_preload_plan *plan, struct cbn_preload_task **order,
                               size_t count, size_t *out_cancelled)
{
    size_t wanted = plan->options->threads ? plan->options->threads : processor_count();
    size_t most = most_threads(order, count);
    wanted = wanted < most ? wanted : most;
    struct run run = {.plan = plan, .order = order, .count = count};
    pthread_t *threads = calloc(wanted + 1, sizeof(*threads));
    run.ready = calloc(count + 1, sizeof(struct cbn_preload_task *));
    bool is_ready = threads && run.ready;
    if (is_ready) {
        *out_cancelled = run_in_threads(&run, threads, wanted);
    }
    free(threads);
    free(run.ready);
    return is_ready ? CUBINET_OK : cbn_error_memory();
}
