/* SPDX-License-Identifier: Apache-2.0 */
/* `cubinet tune` that measures and records. */
#include "command/tune_request.h"

#include "base/file.h"
#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "show/tuning_show.h"
#include "tune/journal.h"
#include "tune/report.h"
#include "tune/subjects.h"
#include "tune/tuning_of.h"

#include <stdlib.h>
#include <string.h>

struct measuring {
    struct tune_work *work;
    struct journal journal;
    size_t others; /* measurements in the journal that this run has no use for, and a later one may */
};

static cubinet_status print_outcome(const struct tune_work *work, const struct outcome *outcome)
{
    const struct tune_set *set = &work->description.sets[outcome->set];
    if (work->request->json) {
        return CUBINET_OK;
    }
    cubinet_status status = report_line(set, outcome, tune_has_kinds(work), stdout);
    if (!status && work->request->shows_times && !outcome->error) {
        status = report_times(set, outcome, stdout);
    }
    fflush(stdout);
    return status;
}

static cubinet_status take(void *user, struct outcome *outcome)
{
    struct measuring *measuring = user;
    struct tune_work *work = measuring->work;
    cubinet_status status =
        outcome->error ? CUBINET_OK : journal_add(&measuring->journal, outcome, &work->description);
    meter_clear(&work->meter);
    cubinet_status printed = print_outcome(work, outcome);
    cubinet_status added = tune_work_add(work, outcome);
    return status ? status : printed ? printed : added;
}

static void show(void *user, const struct supervised *running, size_t count)
{
    struct measuring *measuring = user;
    meter_show(&measuring->work->meter, running, count);
}

static struct job *job_of(struct tune_work *work, const struct outcome *outcome)
{
    for (size_t i = 0; i < work->jobs.count; i++) {
        struct job *job = &work->jobs.items[i];
        const struct tune_device *device = &work->devices.items[job->group];
        if (job->set == outcome->set && strcmp(device->name, outcome->gpu) == 0 &&
            device->compute == outcome->compute && device->multiprocessors == outcome->multiprocessors) {
            return job;
        }
    }
    return NULL;
}

/* What was measured before is not measured again, unless the image is another one now. */
static cubinet_status go_on(struct measuring *measuring, struct journal_lines *lines)
{
    struct tune_work *work = measuring->work;
    cubinet_status status = CUBINET_OK;
    size_t kept = 0;
    for (size_t i = 0; !status && i < lines->count; i++) {
        struct outcome *outcome = &lines->items[i];
        struct job *job = job_of(work, outcome);
        bool is_wanted = job && !job->is_done[outcome->extent];
        if (!subject_is_current(work->shown.archive, &work->description.sets[outcome->set], outcome)) {
            continue;
        }
        if (is_wanted) {
            jobs_skip(&work->jobs, job, outcome->extent);
            status = tune_work_add(work, outcome);
            *outcome = (struct outcome){0};
            kept++;
        }
        measuring->others += !is_wanted;
    }
    if (work->request->goes_on) {
        fprintf(stderr, "cubinet: %zu of %zu measurements were made before\n", kept,
                kept + work->jobs.extents);
    }
    if (measuring->others > 0) {
        fprintf(stderr, "cubinet: %zu more, of other sets or GPUs, stay in '%s'\n", measuring->others,
                measuring->journal.path);
    }
    return status;
}

static size_t count_chosen(const struct tune_work *work)
{
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++) {
        count += work->outcomes[i].error == NULL;
    }
    return count;
}

static cubinet_status write_export(const struct tune_work *work)
{
    struct shown_archive shown;
    json_t *list = json_array();
    cubinet_status status = shown_archive_open(work->request->edit.output, NULL, &shown);
    if (status) {
        json_decref(list);
        return status;
    }
    for (uint32_t i = 0; !status && i < shown.listing.module_count; i++) {
        json_t *tunings = NULL;
        status = tuning_json(&shown, &shown.listing.modules[i], &tunings);
        if (!status && json_array_size(tunings) > 0) {
            json_array_append_new(
                list, json_pack("{s:s, s:O}", "module", shown.listing.modules[i].name, "tunings", tunings));
        }
        json_decref(tunings);
    }
    json_t *document = json_pack("{s:o}", "modules", list);
    char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;
    if (!status) {
        status = text && !json_output_is_lost() ? file_replace(work->request->export_path, text, strlen(text))
                                                : cbn_error_memory();
    }
    free(text);
    json_decref(document);
    shown_archive_close(&shown);
    return status;
}

cubinet_status tune_write(struct tune_work *work)
{
    struct draft draft = {0};
    cubinet_status status = draft_add_archive(&draft, work->shown.archive, work->shown.path);
    for (size_t i = 0; !status && i < work->count; i++) {
        const struct outcome *outcome = &work->outcomes[i];
        if (!outcome->error) {
            status = tuning_put(work->shown.archive, &work->description.sets[outcome->set], outcome, &draft);
        }
    }
    if (!status) {
        status = edit_write(&work->request->edit, &work->shown, &draft);
    }
    draft_free(&draft);
    return !status && work->request->export_path ? write_export(work) : status;
}

static cubinet_status run(struct measuring *measuring)
{
    struct tune_work *work = measuring->work;
    const struct tune_request *request = work->request;
    struct journal_lines lines = {0};
    const struct supervisor supervisor = {
        .archive = request->archive,
        .description = &work->description,
        .options = &request->options,
        .devices = &work->devices,
        .jobs = &work->jobs,
        .take = take,
        .show = show,
        .user = measuring,
    };
    cubinet_status status = journal_open(request->edit.output, &work->description, &request->options,
                                         request->goes_on, &measuring->journal, &lines);
    if (!status) {
        status = go_on(measuring, &lines);
    }
    journal_lines_free(&lines);
    meter_start(&work->meter, &work->description, &work->jobs);
    if (!status) {
        status = supervisor_run(&supervisor, &work->signal);
    }
    meter_clear(&work->meter);
    return status;
}

/* 128 and the signal's number, as shells have it. */
static int finish(const struct tune_work *work, size_t chosen)
{
    if (work->signal) {
        command_warning("stopped by a signal: %zu of %zu measurements are kept; --resume goes on", chosen,
                        work->count + work->jobs.extents - work->jobs.finished);
        return 128 + work->signal;
    }
    if (chosen < work->count) {
        command_warning("%zu of %zu measurements failed", work->count - chosen, work->count);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

int tune_measure(struct tune_work *work)
{
    struct measuring measuring = {.work = work};
    cubinet_status status = run(&measuring);
    size_t chosen = count_chosen(work);
    if (!status && chosen > 0) {
        status = tune_write(work);
    }
    bool is_complete = !status && !work->signal && chosen == work->count && measuring.others == 0;
    journal_close(&measuring.journal, is_complete);
    if (!status && work->request->json) {
        status = tune_print_json(work);
    }
    return status ? command_failed() : finish(work, chosen);
}
