/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/preload_run.h"

#include "loader/core/support/error.h"
#include "loader/driver/load_devices.h"
#include "loader/driver/preload_kernels.h"

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

    pthread_mutex_t mutex;   /* over the rest, and over what became of each task until it is in `ready` */
    pthread_cond_t progress; /* a task was done */
    size_t begun;            /* of `order` */
    bool stop;               /* nothing more is begun */
    struct cbn_preload_task **ready; /* those that were done, in the order of their ends */
    size_t ready_count;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static cubinet_status load(const struct cbn_preload_plan *plan, const struct cbn_preload_task *task,
                           cubinet_module **out_module)
{
    if (task->link) {
        return cubinet_link_complete(task->link, out_module);
    }
    if (task->kernels) {
        return cbn_preload_load_kernels(plan, task, out_module);
    }
    struct cbn_load_request request;
    cubinet_status status = cbn_load_request_make(task->archive, task->name, plan->options->load, &request);
    if (status) {
        return status;
    }
    request.make_ready = true; /* nothing is left to the first launch */
    return cbn_module_load_on(plan->driver, plan->device, NULL, &request, out_module);
}

/* In the context of the calling thread, if it has one. The primary context is not made current: each module
 * is to retain it for itself. */
static cubinet_status load_in_context(const struct cbn_preload_plan *plan,
                                      const struct cbn_preload_task *task, cubinet_module **out_module)
{
    const struct cbn_driver_table *cu = &plan->driver->cu;
    bool pushed = false;
    cubinet_status status = CUBINET_OK;
    if (!plan->context.is_retained) {
        status = cbn_context_enter(cu, plan->context.handle, &pushed);
    }
    if (status) {
        return status;
    }
    status = load(plan, task, out_module);
    return cbn_context_leave(cu, pushed, status);
}

static void perform(const struct cbn_preload_plan *plan, struct cbn_preload_task *task)
{
    cubinet_module *module = NULL;
    double start = now_ms();
    task->status = load_in_context(plan, task, &module);
    if (module && (task->status || (plan->options->flags & CUBINET_PRELOAD_NO_MODULES))) {
        cubinet_status unloaded = cubinet_module_unload(module);
        task->status = task->status ? task->status : unloaded;
        module = NULL;
    }
    task->milliseconds = now_ms() - start;
    task->module = module;
    if (task->status) {
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
    perform(run->plan, task);
    pthread_mutex_lock(&run->mutex);
    run->stop = run->stop || (task->status && !(run->plan->options->flags & CUBINET_PRELOAD_KEEP_GOING));
    run->ready[run->ready_count++] = task;
    pthread_cond_signal(&run->progress);
}

static void *work(void *user)
{
    struct run *run = user;
    pthread_mutex_lock(&run->mutex);
    while (is_more_to_begin(run)) {
        perform_next(run);
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
        } else if (run->ready_count == run->begun && !is_more_to_begin(run)) {
            break;
        } else {
            pthread_cond_wait(&run->progress, &run->mutex);
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
    pthread_cond_init(&run->progress, NULL);
    size_t workers = start_workers(run, threads, wanted > 1 ? wanted : 0);
    size_t cancelled = supervise(run, workers);
    for (size_t i = 0; i < workers; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_cond_destroy(&run->progress);
    pthread_mutex_destroy(&run->mutex);
    return cancelled;
}

cubinet_status cbn_preload_run(const struct cbn_preload_plan *plan, struct cbn_preload_task **order,
                               size_t count, size_t *out_cancelled)
{
    size_t wanted = plan->options->threads ? plan->options->threads : processor_count();
    wanted = wanted < count ? wanted : count;
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
