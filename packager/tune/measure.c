/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/measure.h"

#include "loader/core/support/error.h"
#include "tune/bench.h"
#include "tune/clocks.h"
#include "tune/default_launch.h"
#include "tune/race.h"

#include <stdlib.h>
#include <string.h>

struct measurement {
    const struct measured_on *on;
    const struct tune_set *set;
    const struct tune_extent *extent;
    uint32_t extent_number;
    struct candidates candidates;
    struct bench bench;
    bool *entrants;
    unsigned *repeats;
    size_t *order;
    struct outcome *outcome;
};

static struct worker_state *state_of(const struct measurement *measurement)
{
    return measurement->on->task->state;
}

/* Says what is launched next, before it is. */
static void announce(const struct measurement *measurement, const struct candidate *candidate,
                     bool is_reference)
{
    struct worker_state *state = state_of(measurement);
    state->candidate = *candidate;
    state->is_reference = is_reference;
    atomic_fetch_add(&state->steps, 1);
}

static void enter(const struct measurement *measurement, enum worker_phase phase, size_t total)
{
    struct worker_state *state = state_of(measurement);
    atomic_store(&state->done, 0);
    atomic_store(&state->total, (uint32_t)total);
    atomic_store(&state->phase, phase);
    atomic_fetch_add(&state->steps, 1);
}

/* The candidates, with the default in the first place if there is one. */
static cubinet_status collect(struct measurement *measurement)
{
    const struct measured_on *on = measurement->on;
    const struct tune_set *set = measurement->set;
    struct candidate own;
    bool has_default = false;
    const struct candidate *recorded = on->task->recorded;
    cubinet_status status =
        recorded ? candidates_put_default(&measurement->candidates, &recorded[measurement->extent_number])
                 : candidates_make(set, measurement->extent, on->multiprocessors, &measurement->candidates);
    if (!status) {
        status =
            default_launch(set, on->kernels[0], measurement->extent, on->multiprocessors, &own, &has_default);
    }
    if (!status && has_default) {
        status = candidates_put_default(&measurement->candidates, &own);
    }
    if (!status && measurement->candidates.count == 0) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the restrictions leave no candidate");
    }
    measurement->outcome->has_default = has_default;
    return status;
}

static cubinet_status prepare(struct measurement *measurement)
{
    size_t count = measurement->candidates.count;
    struct outcome *outcome = measurement->outcome;
    measurement->entrants = calloc(count, sizeof(bool));
    measurement->repeats = calloc(count, sizeof(unsigned));
    measurement->order = calloc(count, sizeof(size_t));
    outcome->trials = calloc(count, sizeof(*outcome->trials));
    if (!measurement->entrants || !measurement->repeats || !measurement->order || !outcome->trials) {
        return cbn_error_memory();
    }
    outcome->trial_count = count;
    for (size_t i = 0; i < count; i++) {
        outcome->trials[i].candidate = measurement->candidates.items[i];
    }
    return CUBINET_OK;
}

static const struct excluded *find_excluded(const struct measurement *measurement,
                                            const struct candidate *candidate)
{
    const struct worker_task *task = measurement->on->task;
    for (size_t i = 0; i < task->excluded_count; i++) {
        const struct excluded *item = &task->excluded[i];
        if (item->extent == measurement->extent_number && candidate_is_same(&item->candidate, candidate)) {
            return item;
        }
    }
    return NULL;
}

static cubinet_status set_reason(struct trial *trial, enum trial_state state, const char *reason)
{
    trial->state = state;
    free(trial->reason);
    trial->reason = strdup(reason);
    return trial->reason ? CUBINET_OK : cbn_error_memory();
}

/* The launch that makes the right results: the description's, or the first candidate that can be launched,
 * which is the default as a rule. */
static cubinet_status make_reference(struct measurement *measurement)
{
    const struct tune_set *set = measurement->set;
    struct candidate chosen;
    cubinet_status status = CUBINET_OK;
    if (!bench_has_results(&measurement->bench)) {
        return CUBINET_OK;
    }
    measurement->outcome->is_checked = true;
    if (set->has_reference) {
        status = candidate_of_choice(set, set->reference_kernel, &set->reference, measurement->extent,
                                     measurement->on->multiprocessors, &chosen);
        announce(measurement, &chosen, true);
        status = status ? status : bench_set_right(&measurement->bench, &chosen);
        return status ? cbn_error_context(status, "the reference") : CUBINET_OK;
    }
    for (size_t i = 0; i < measurement->candidates.count; i++) {
        const struct candidate *candidate = &measurement->candidates.items[i];
        if (!find_excluded(measurement, candidate)) {
            announce(measurement, candidate, false);
            status = bench_set_right(&measurement->bench, candidate);
            if (!status || status == CUBINET_ERROR_OUT_OF_MEMORY || measurement->bench.gpu->is_lost) {
                return status;
            }
        }
    }
    return status ? cbn_error_context(status, "no candidate can be launched")
                  : cbn_error(CUBINET_ERROR_LIMIT, "no candidate can be launched");
}

/* Checks a candidate, and times it once to see how often it is to be repeated. */
static cubinet_status try_candidate(struct measurement *measurement, size_t number)
{
    struct bench *bench = &measurement->bench;
    struct trial *trial = &measurement->outcome->trials[number];
    const struct excluded *excluded = find_excluded(measurement, &trial->candidate);
    double time = 0;
    if (excluded) {
        return set_reason(trial, excluded->state, excluded->reason);
    }
    announce(measurement, &trial->candidate, false);
    cubinet_status status = bench_check(bench, &trial->candidate);
    if (status == CUBINET_ERROR_INVALID_ARGUMENT &&
        strncmp(cubinet_error_message(), "wrong results", strlen("wrong results")) == 0) {
        return set_reason(trial, TRIAL_WRONG, cubinet_error_message());
    }
    if (!status) {
        status = bench_time(bench, &trial->candidate, 1, &time);
    }
    if (status == CUBINET_ERROR_OUT_OF_MEMORY || (status && bench->gpu->is_lost)) {
        return status;
    }
    if (status) {
        return set_reason(trial, TRIAL_REFUSED, cubinet_error_message());
    }
    measurement->repeats[number] = bench_repeats(time);
    measurement->entrants[number] = true;
    return CUBINET_OK;
}

static cubinet_status try_all(struct measurement *measurement)
{
    bool any = false;
    for (size_t i = 0; i < measurement->candidates.count; i++) {
        cubinet_status status = try_candidate(measurement, i);
        if (status) {
            return status;
        }
        any |= measurement->entrants[i];
        atomic_fetch_add(&state_of(measurement)->done, 1);
    }
    return any ? CUBINET_OK
               : cbn_error(CUBINET_ERROR_LIMIT, "no candidate is left: %s",
                           measurement->outcome->trials[0].reason);
}

static cubinet_status run_round(struct measurement *measurement, struct race *race)
{
    size_t count = race_order(race, measurement->order);
    struct worker_state *state = state_of(measurement);
    atomic_store(&state->left, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        size_t number = measurement->order[i];
        const struct candidate *candidate = &measurement->candidates.items[number];
        double time = 0;
        announce(measurement, candidate, false);
        cubinet_status status =
            bench_time(&measurement->bench, candidate, measurement->repeats[number], &time);
        if (status) {
            return status;
        }
        race_put(race, number, time);
    }
    return CUBINET_OK;
}

static void take_times(struct measurement *measurement, const struct race *race)
{
    struct outcome *outcome = measurement->outcome;
    for (size_t i = 0; i < outcome->trial_count; i++) {
        struct race_time time = race_time_of(race, i);
        outcome->trials[i].time = time.median;
        outcome->trials[i].noise = time.noise;
        outcome->trials[i].used = time.used;
    }
    outcome->chosen = race->answer;
    outcome->has_default &= measurement->entrants[0];
    outcome->rounds = race->rounds;
}

static cubinet_status run_race(struct measurement *measurement)
{
    const struct tune_options *options = measurement->on->task->options;
    const struct race_rules rules = {.most_rounds = options->rounds,
                                     .resolution = options->resolution,
                                     .seed = options->seed,
                                     .has_default = measurement->outcome->has_default,
                                     .keeps_all = options->keeps_all};
    struct worker_state *state = state_of(measurement);
    struct race race;
    cubinet_status status = race_start(&rules, measurement->entrants, measurement->candidates.count, &race);
    if (status) {
        return status;
    }
    enter(measurement, WORKER_TIMES, options->rounds);
    bool goes_on = true;
    while (!status && goes_on) {
        status = run_round(measurement, &race);
        goes_on = !status && race_go_on(&race);
        atomic_store(&state->best, (uint64_t)(1e3 * race_time_of(&race, race.answer).median));
        atomic_fetch_add(&state->done, 1);
    }
    if (!status) {
        struct clocks clocks = clocks_now(measurement->on->gpu->driver, measurement->on->task->device);
        measurement->outcome->sm_clock = clocks.multiprocessors;
        measurement->outcome->memory_clock = clocks.memory;
        take_times(measurement, &race);
    }
    race_free(&race);
    return status;
}

static cubinet_status run(struct measurement *measurement)
{
    const struct measured_on *on = measurement->on;
    const struct worker_task *task = on->task;
    enter(measurement, WORKER_PREPARES, 0);
    atomic_store(&task->state->best, 0);
    cubinet_status status = collect(measurement);
    if (!status) {
        status = prepare(measurement);
    }
    if (!status) {
        status = bench_open(on->gpu, measurement->set, measurement->extent, on->multiprocessors,
                            task->description->folder, on->kernels, &measurement->bench);
    }
    if (status) {
        return status;
    }
    measurement->bench.is_cold = task->options->is_cold;
    enter(measurement, WORKER_CHECKS, measurement->candidates.count);
    status = make_reference(measurement);
    if (!status) {
        status = try_all(measurement);
    }
    if (!status) {
        status = run_race(measurement);
    }
    bench_close(&measurement->bench);
    return status;
}

cubinet_status measure(const struct measured_on *on, uint32_t extent, struct outcome *outcome)
{
    const struct tune_set *set = &on->task->description->sets[on->task->set];
    struct measurement measurement = {
        .on = on,
        .set = set,
        .extent = &set->extents[extent],
        .extent_number = extent,
        .outcome = outcome,
    };
    cubinet_status status = run(&measurement);
    free(measurement.candidates.items);
    free(measurement.entrants);
    free(measurement.repeats);
    free(measurement.order);
    return status;
}
