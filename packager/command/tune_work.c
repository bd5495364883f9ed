/* SPDX-License-Identifier: Apache-2.0 */
/* What all of `cubinet tune` needs. */
#include "command/tune_request.h"

#include "base/array.h"
#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"
#include "tune/subjects.h"

#include <stdlib.h>
#include <string.h>

bool tune_wants_set(const struct tune_work *work, const struct tune_set *set)
{
    const struct cbn_text_list *only = &work->request->only;
    return only->count == 0 || cbn_text_list_has(only, set->name);
}

/* Every name of --only is a set's. */
static cubinet_status check_names(const struct tune_work *work)
{
    const struct cbn_text_list *only = &work->request->only;
    for (size_t i = 0; i < only->count; i++) {
        struct cbn_nearest nearest;
        bool found = false;
        cbn_nearest_start(&nearest, only->items[i], strlen(only->items[i]));
        for (size_t j = 0; j < work->description.set_count; j++) {
            found |= strcmp(work->description.sets[j].name, only->items[i]) == 0;
            cbn_nearest_offer(&nearest, work->description.sets[j].name);
        }
        const char *name = cbn_nearest_found(&nearest);
        if (!found) {
            return cbn_error(CUBINET_ERROR_NOT_FOUND, "'%s' has no set '%s'%s%s%s",
                             work->request->description, only->items[i], name ? "; the nearest is '" : "",
                             name ? name : "", name ? "'" : "");
        }
    }
    return CUBINET_OK;
}

static void skip_others(struct tune_work *work)
{
    for (size_t i = 0; i < work->jobs.count; i++) {
        struct job *job = &work->jobs.items[i];
        const struct tune_set *set = &work->description.sets[job->set];
        for (uint32_t j = 0; !tune_wants_set(work, set) && j < set->extent_count; j++) {
            jobs_skip(&work->jobs, job, j);
        }
    }
}

static cubinet_status open_parts(struct tune_work *work)
{
    const struct tune_request *request = work->request;
    cubinet_status status = description_read(request->description, &work->description);
    if (!status) {
        status = subjects_check(work->shown.archive, request->archive, &work->description);
        status = status ? cbn_error_context(status, "'%s'", request->description) : CUBINET_OK;
    }
    status = status ? status : check_names(work);
    status = status ? status : devices_find(request->device, &work->devices);
    status = status ? status : jobs_make(&work->description, &work->devices, &work->jobs);
    if (!status) {
        skip_others(work);
    }
    return status;
}

cubinet_status tune_work_open(const struct tune_request *request, struct tune_work *out_work)
{
    *out_work = (struct tune_work){.request = request};
    cubinet_status status = shown_archive_open(request->archive, NULL, &out_work->shown);
    if (status) {
        return status;
    }
    status = open_parts(out_work);
    if (status) {
        tune_work_close(out_work);
    }
    return status;
}

void tune_work_close(struct tune_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        outcome_free(&work->outcomes[i]);
    }
    free(work->outcomes);
    jobs_free(&work->jobs);
    description_free(&work->description);
    shown_archive_close(&work->shown);
}

cubinet_status tune_work_add(struct tune_work *work, struct outcome *outcome)
{
    struct outcome *items = array_grow(work->outcomes, work->count, sizeof(*items));
    if (!items) {
        outcome_free(outcome);
        return cbn_error_memory();
    }
    work->outcomes = items;
    items[work->count++] = *outcome;
    return CUBINET_OK;
}

bool tune_has_kinds(const struct tune_work *work)
{
    for (size_t i = 0; i < work->devices.count; i++) {
        if (work->devices.items[i].group != 0) {
            return true;
        }
    }
    return false;
}

static int compare_outcomes(const void *a, const void *b)
{
    const struct outcome *left = *(const struct outcome *const *)a;
    const struct outcome *right = *(const struct outcome *const *)b;
    if (left->set != right->set) {
        return left->set < right->set ? -1 : 1;
    }
    if (left->extent != right->extent) {
        return left->extent < right->extent ? -1 : 1;
    }
    return strcmp(left->gpu, right->gpu);
}

cubinet_status tune_print_json(const struct tune_work *work)
{
    json_t *list = json_array();
    const struct outcome **order = calloc(work->count + 1, sizeof(struct outcome *));
    if (!order) {
        json_decref(list);
        return cbn_error_memory();
    }
    for (size_t i = 0; i < work->count; i++) {
        order[i] = &work->outcomes[i];
    }
    qsort(order, work->count, sizeof(struct outcome *), compare_outcomes);
    for (size_t i = 0; i < work->count; i++) {
        json_array_append_new(list, outcome_to_json(order[i], &work->description));
    }
    free(order);
    return json_output_print(json_pack("{s:b, s:o}", "complete", work->signal == 0, "measured", list));
}
