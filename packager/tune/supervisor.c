/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/supervisor.h"

#include "loader/core/support/error.h"
#include "tune/slot.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MILLISECONDS = 100 };

static volatile sig_atomic_t stopped_by;

static void stop(int number)
{
    stopped_by = number;
}

static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPPING_COUNT = sizeof(stopping) / sizeof(stopping[0]) };

struct run {
    const struct supervisor *supervisor;
    struct slot *slots; /* one for each device */
    size_t count;
};

static cubinet_status fail_extent(struct outcome *outcome, const struct slot *slot, const char *message)
{
    const struct tune_device *device = slot->device;
    *outcome = (struct outcome){.set = slot->job->set,
                                .extent = atomic_load(&slot->state->extent),
                                .compute = device->compute,
                                .multiprocessors = device->multiprocessors};
    memcpy(outcome->gpu, device->name, sizeof(outcome->gpu));
    outcome->error = strdup(message);
    return outcome->error ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status take(const struct run *run, struct slot *slot, struct outcome *outcome)
{
    const struct supervisor *supervisor = run->supervisor;
    jobs_finish(supervisor->jobs, slot->job, outcome->extent);
    return supervisor->take(supervisor->user, outcome);
}

static cubinet_status take_line(const struct run *run, struct slot *slot, const char *line)
{
    struct outcome outcome;
    if (line[0] == '!') {
        free(slot->message);
        slot->message = strdup(line + 1);
        return slot->message ? CUBINET_OK : cbn_error_memory();
    }
    json_t *object = json_loads(line, 0, NULL);
    cubinet_status status = outcome_from_json(object, run->supervisor->description, &outcome);
    json_decref(object);
    return status ? status : take(run, slot, &outcome);
}

static cubinet_status take_lines(const struct run *run, struct slot *slot)
{
    char *line = NULL;
    cubinet_status status = slot_line(slot, &line);
    while (!status && line) {
        status = take_line(run, slot, line);
        free(line);
        status = status ? status : slot_line(slot, &line);
    }
    return status;
}

/* A process that ended with extents left: its candidate is left out from now on, or the extent fails. */
static cubinet_status explain_end(const struct run *run, struct slot *slot)
{
    struct outcome outcome;
    char text[320];
    uint32_t phase = atomic_load(&slot->state->phase);
    slot_reason(slot, run->supervisor->options->hang_seconds, text);
    const struct excluded excluded = {
        .extent = atomic_load(&slot->state->extent),
        .candidate = slot->state->candidate,
        .state = slot->is_hung ? TRIAL_HUNG : TRIAL_CRASHED,
        .reason = text,
    };
    bool is_candidate = phase == WORKER_CHECKS || phase == WORKER_TIMES;
    if (is_candidate && !slot->state->is_reference && !job_exclude(slot->job, &excluded)) {
        return CUBINET_OK;
    }
    if (slot->job->is_done[excluded.extent]) {
        return cbn_error(CUBINET_ERROR_DRIVER, "the process that measures on device %d ends: %s",
                         slot->device->number, excluded.reason);
    }
    cubinet_status status = fail_extent(&outcome, slot, excluded.reason);
    return status ? status : take(run, slot, &outcome);
}

static cubinet_status finish_slot(const struct run *run, struct slot *slot)
{
    slot_wait(slot);
    cubinet_status status = slot->job->left > 0 ? explain_end(run, slot) : CUBINET_OK;
    slot->job->is_taken = false;
    slot_reset(slot);
    return status;
}

static cubinet_status start_idle(const struct run *run)
{
    const struct supervisor *supervisor = run->supervisor;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < run->count; i++) {
        struct slot *slot = &run->slots[i];
        struct job *job = slot->job ? NULL : jobs_find(supervisor->jobs, slot->device->group);
        if (job) {
            const struct worker_task task = {
                .archive = supervisor->archive,
                .description = supervisor->description,
                .options = supervisor->options,
                .set = job->set,
                .device = slot->device->number,
                .is_done = job->is_done,
                .recorded = job->recorded,
                .excluded = job->excluded,
                .excluded_count = job->excluded_count,
                .state = slot->state,
            };
            job->is_taken = true;
            status = slot_start(slot, job, &task);
        }
    }
    return status;
}

static size_t gather(const struct run *run, struct pollfd *polled, struct slot **of)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (run->slots[i].job) {
            of[count] = &run->slots[i];
            polled[count++] = (struct pollfd){.fd = run->slots[i].fd, .events = POLLIN};
        }
    }
    return count;
}

static void show(const struct run *run, struct slot *const *busy, size_t count)
{
    struct supervised running[MOST_DEVICES];
    const struct supervisor *supervisor = run->supervisor;
    for (size_t i = 0; i < count; i++) {
        running[i] = (struct supervised){
            .device = busy[i]->device->number, .set = busy[i]->job->set, .state = busy[i]->state};
    }
    if (supervisor->show) {
        supervisor->show(supervisor->user, running, count);
    }
}

/* One turn; *out_idle: nothing runs, and nothing is left to do. */
static cubinet_status turn(const struct run *run, bool *out_idle)
{
    struct pollfd polled[MOST_DEVICES];
    struct slot *busy[MOST_DEVICES];
    cubinet_status status = start_idle(run);
    size_t count = gather(run, polled, busy);
    *out_idle = count == 0;
    if (status || count == 0) {
        return status;
    }
    show(run, busy, count);
    if (poll(polled, count, TICK_MILLISECONDS) < 0 && errno != EINTR) {
        return cbn_error(CUBINET_ERROR_IO, "cannot wait for the measurements: %s", strerror(errno));
    }
    for (size_t i = 0; !status && i < count; i++) {
        bool has_ended = polled[i].revents && !slot_read(busy[i]);
        status = take_lines(run, busy[i]);
        if (!status && has_ended) {
            status = finish_slot(run, busy[i]);
        } else if (!has_ended) {
            slot_watch(busy[i], run->supervisor->options->hang_seconds);
        }
    }
    return status;
}

static void handle_signals(struct sigaction before[STOPPING_COUNT])
{
    struct sigaction action = {.sa_handler = stop};
    sigemptyset(&action.sa_mask);
    stopped_by = 0;
    for (size_t i = 0; i < STOPPING_COUNT; i++) {
        sigaction(stopping[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            sigaction(stopping[i], &action, NULL);
        }
    }
}

cubinet_status supervisor_run(const struct supervisor *supervisor, int *out_signal)
{
    struct run run = {.supervisor = supervisor, .count = supervisor->devices->count};
    struct sigaction before[STOPPING_COUNT];
    bool is_idle = false;
    cubinet_status status = slots_make(supervisor->devices, &run.slots);
    if (status) {
        return status;
    }
    handle_signals(before);
    while (!status && !is_idle && !stopped_by) {
        status = turn(&run, &is_idle);
    }
    slots_free(run.slots, run.count);
    for (size_t i = 0; i < STOPPING_COUNT; i++) {
        sigaction(stopping[i], &before[i], NULL);
    }
    *out_signal = is_idle ? 0 : stopped_by;
    return status;
}
