/* SPDX-License-Identifier: Apache-2.0 */
/* `cubinet tune --check`: what is recorded is measured again. */
#include "command/tune_request.h"

#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "tune/recorded.h"
#include "tune/report.h"
#include "tune/subjects.h"

#include <stdlib.h>
#include <string.h>

struct checking {
    struct tune_work *work;
    struct recorded **records; /* for each job, of each extent */
    size_t checked;
    size_t drifted;
    size_t voided;
    size_t failed; /* of those that drifted */
    json_t *list;  /* what --json prints */
};

/* now: 0: it has no time; error: why it could not be measured, or NULL */
static void add_json(struct checking *checking, uint32_t set, uint32_t extent, const char *gpu,
                     const struct recorded *record, double now, const char *verdict, const char *error)
{
    const struct tune_set *described = &checking->work->description.sets[set];
    const uint64_t *sides = described->extents[extent].sides;
    json_array_append_new(checking->list,
                          json_pack("{s:s, s:[I,I,I], s:o, s:f, s:o, s:s, s:o*}", "set", described->name,
                                    "extent", (json_int_t)sides[0], (json_int_t)sides[1],
                                    (json_int_t)sides[2], "gpu", json_output_text(gpu), "recorded_ns",
                                    record->time, "time_ns", now > 0 ? json_real(now) : json_null(),
                                    "verdict", verdict, "error", error ? json_output_text(error) : NULL));
}

static void print_start(const struct tune_work *work, const struct tune_set *set, uint32_t extent,
                        const char *gpu)
{
    char text[EXTENT_TEXT_SIZE];
    printf("%s, %s", set->name, report_extent(set, extent, text));
    if (tune_has_kinds(work)) {
        printf(", on %s", gpu);
    }
}

/* Leaves what is valid to be measured. */
static void select_records(struct checking *checking, struct job *job, struct recorded *records)
{
    struct tune_work *work = checking->work;
    const struct tune_set *set = &work->description.sets[job->set];
    for (uint32_t i = 0; i < set->extent_count; i++) {
        if (job->is_done[i]) {
            continue;
        }
        if (records[i].time > 0 && records[i].is_void) {
            const char *gpu = work->devices.items[job->group].name;
            checking->voided++;
            add_json(checking, job->set, i, gpu, &records[i], 0, "void", NULL);
            if (!work->request->json) {
                print_start(work, set, i, gpu);
                printf(": void, the image has changed since it was tuned\n");
            }
        }
        if (records[i].time <= 0 || records[i].is_void) {
            jobs_skip(&work->jobs, job, i);
        }
        job->recorded[i] = records[i].candidate;
    }
}

/* A time with cold caches says nothing of one with warm ones. */
static cubinet_status check_caches(const struct tune_work *work, const struct tune_set *set,
                                   const struct recorded *records)
{
    for (uint32_t i = 0; i < set->extent_count; i++) {
        if (records[i].time > 0 && records[i].is_cold != work->request->options.is_cold) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                             "records of '%s' were measured with %s caches: give --%s to --check, too",
                             subject_name(work->shown.archive, set), records[i].is_cold ? "cold" : "warm",
                             records[i].is_cold ? "cold" : "warm");
        }
    }
    return CUBINET_OK;
}

static cubinet_status prepare(struct checking *checking)
{
    struct tune_work *work = checking->work;
    checking->records = calloc(work->jobs.count + 1, sizeof(*checking->records));
    cubinet_status status = checking->records ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < work->jobs.count; i++) {
        struct job *job = &work->jobs.items[i];
        const struct tune_set *set = &work->description.sets[job->set];
        checking->records[i] = calloc(set->extent_count, sizeof(struct recorded));
        job->recorded = calloc(set->extent_count, sizeof(*job->recorded));
        if (!checking->records[i] || !job->recorded) {
            return cbn_error_memory();
        }
        status =
            recorded_find(work->shown.archive, set, &work->devices.items[job->group], checking->records[i]);
        if (!status) {
            status = check_caches(work, set, checking->records[i]);
        }
        if (!status) {
            select_records(checking, job, checking->records[i]);
        }
    }
    return status;
}

static const struct recorded *record_of(const struct checking *checking, const struct outcome *outcome)
{
    const struct tune_work *work = checking->work;
    for (size_t i = 0; i < work->jobs.count; i++) {
        const struct tune_device *device = &work->devices.items[work->jobs.items[i].group];
        if (work->jobs.items[i].set == outcome->set && device->compute == outcome->compute &&
            device->multiprocessors == outcome->multiprocessors && strcmp(device->name, outcome->gpu) == 0) {
            return &checking->records[i][outcome->extent];
        }
    }
    return NULL;
}

static void print_result(const struct checking *checking, const struct outcome *outcome,
                         const struct recorded *record, double now, bool has_drifted)
{
    const struct tune_work *work = checking->work;
    char before[TIME_TEXT_SIZE];
    char after[TIME_TEXT_SIZE];
    print_start(work, &work->description.sets[outcome->set], outcome->extent, outcome->gpu);
    if (outcome->error) {
        printf(": %s\n", outcome->error);
    } else if (now <= 0) {
        printf(": recorded %s, and now it can't be launched, or its results are wrong\n",
               report_time(record->time, before));
    } else {
        printf(": recorded %s, now %s%s\n", report_time(record->time, before), report_time(now, after),
               has_drifted ? ": it has drifted" : "");
    }
    fflush(stdout);
}

static cubinet_status take(void *user, struct outcome *outcome)
{
    struct checking *checking = user;
    struct tune_work *work = checking->work;
    const struct recorded *record = record_of(checking, outcome);
    double now = 0;
    bool has_drifted =
        !record || recorded_has_drifted(record, outcome, work->request->options.resolution, &now);
    checking->checked++;
    checking->drifted += has_drifted;
    checking->failed += outcome->error != NULL;
    meter_clear(&work->meter);
    if (record) {
        add_json(checking, outcome->set, outcome->extent, outcome->gpu, record, now,
                 has_drifted ? "drifted" : "same", outcome->error);
    }
    if (!work->request->json && record) {
        print_result(checking, outcome, record, now, has_drifted);
    }
    return tune_work_add(work, outcome);
}

static void show(void *user, const struct supervised *running, size_t count)
{
    struct checking *checking = user;
    meter_show(&checking->work->meter, running, count);
}

static cubinet_status run(struct checking *checking)
{
    struct tune_work *work = checking->work;
    struct tune_options options = work->request->options;
    const struct supervisor supervisor = {
        .archive = work->request->archive,
        .description = &work->description,
        .options = &options,
        .devices = &work->devices,
        .jobs = &work->jobs,
        .take = take,
        .show = show,
        .user = checking,
    };
    options.keeps_all = true;
    cubinet_status status = prepare(checking);
    meter_start(&work->meter, &work->description, &work->jobs);
    if (!status) {
        status = supervisor_run(&supervisor, &work->signal);
    }
    meter_clear(&work->meter);
    return status;
}

int tune_check(struct tune_work *work)
{
    struct checking checking = {.work = work, .list = json_array()};
    cubinet_status status = run(&checking);
    for (size_t i = 0; checking.records && i < work->jobs.count; i++) {
        free(checking.records[i]);
    }
    free(checking.records);
    if (!status && checking.checked + checking.voided == 0 && !work->signal) {
        status =
            cbn_error(CUBINET_ERROR_NOT_FOUND, "'%s' has no tuning record of these sets, extents and GPUs",
                      work->request->archive);
    }
    if (!status && work->request->json) {
        status = json_output_print(
            json_pack("{s:b, s:o}", "complete", work->signal == 0, "checked", checking.list));
    } else {
        json_decref(checking.list);
    }
    if (status) {
        return command_failed();
    }
    size_t count = checking.checked + checking.voided;
    if (!work->request->json) {
        printf("%zu record%s: %zu drifted, %zu void\n", count, count == 1 ? "" : "s", checking.drifted,
               checking.voided);
    }
    if (checking.failed > 0) {
        command_warning("%zu of %zu measurements failed", checking.failed, checking.checked);
    }
    return work->signal ? 128 + work->signal : checking.drifted + checking.voided ? EXIT_FAILED : EXIT_OK;
}
