/* SPDX-License-Identifier: Apache-2.0 */
/* Having many modules ready at once: what a program asks for, and what it gets. */
#include <cubinet/preload.h>

#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"
#include "loader/core/support/sized.h"
#include "loader/core/support/text_list.h"
#include "loader/driver/cbn_link.h"
#include "loader/driver/preload_make.h"
#include "loader/driver/preload_run.h"

#include <stdlib.h>
#include <string.h>

static cubinet_status check_item(const cubinet_driver *driver, const struct cbn_device *device,
                                 const cubinet_preload_item *items, size_t index)
{
    const cubinet_preload_item *item = &items[index];
    if ((item->archive != NULL) == (item->link != NULL)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "cubinet_preload_run: item %zu needs an archive or a link, and %s", index,
                         item->link ? "has both" : "has neither");
    }
    cubinet_status status = cbn_flags_check("cubinet_preload_item", 0, 0,
                                            item->reserved[0] | item->reserved[1] | item->reserved[2]);
    if (status || !item->link) {
        return status;
    }
    if (cbn_link_driver(item->link) != driver || cbn_link_device(item->link) != device) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "cubinet_preload_run: item %zu is a link for device %d of %s driver, and this is for "
            "device %d",
            index, cbn_link_device(item->link)->handle,
            cbn_link_driver(item->link) == driver ? "this" : "another", device->handle);
    }
    for (size_t i = 0; i < index; i++) {
        if (items[i].link == item->link) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                             "cubinet_preload_run: items %zu and %zu are the same link", i, index);
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_arguments(const cubinet_driver *driver, const cubinet_preload_item *items,
                                      size_t count, cubinet_preload *const *out_preload)
{
    if (!driver || (!items && count) || !out_preload) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_preload_run: %s is NULL",
                         !driver        ? "driver"
                         : !out_preload ? "out_preload"
                                        : "items");
    }
    return CUBINET_OK;
}

static int dearest_first(const void *a, const void *b)
{
    const struct cbn_preload_task *first = *(struct cbn_preload_task *const *)a;
    const struct cbn_preload_task *second = *(struct cbn_preload_task *const *)b;
    if (first->cost != second->cost) {
        return first->cost > second->cost ? -1 : 1;
    }
    return first < second ? -1 : first > second; /* in the order of the items */
}

/* The tasks in the order in which to begin them, an array that the caller frees; NULL if memory is out. */
static struct cbn_preload_task **put_in_order(const struct cbn_preload_plan *plan,
                                              const cubinet_preload *preload)
{
    struct cbn_preload_task **order = calloc(preload->count + 1, sizeof(struct cbn_preload_task *));
    for (size_t i = 0; order && i < preload->count; i++) {
        struct cbn_preload_task *task = &preload->tasks[i];
        cbn_preload_estimate(plan->driver, plan->device, task, plan->options->load);
        order[i] = task;
    }
    if (order && preload->count && !plan->kernels) { /* a record's order is that of use */
        qsort(order, preload->count, sizeof(struct cbn_preload_task *), dearest_first);
    }
    return order;
}

/* CUBINET_OK, or what the first task came to that failed. */
static cubinet_status find_failure(const cubinet_preload *preload)
{
    const struct cbn_preload_task *first = NULL;
    size_t failed = 0;
    for (size_t i = 0; i < preload->count; i++) {
        const struct cbn_preload_task *task = &preload->tasks[i];
        bool has_failed = task->status && task->status != CUBINET_ERROR_CANCELLED;
        first = first || !has_failed ? first : task;
        failed += has_failed;
    }
    if (!first) {
        return CUBINET_OK;
    }
    const char *message = first->message ? first->message : "out of memory";
    if (failed == 1) {
        return cbn_error_driver(first->status, first->driver_result, "'%s' of %zu is not ready: %s",
                                first->name, preload->count, message);
    }
    return cbn_error_driver(first->status, first->driver_result, "'%s' and %zu more of %zu are not ready: %s",
                            first->name, failed - 1, preload->count, message);
}

static cubinet_status run_tasks(const struct cbn_preload_plan *plan, const cubinet_preload *preload)
{
    size_t cancelled = 0;
    struct cbn_preload_task **order = put_in_order(plan, preload);
    cubinet_status status =
        order ? cbn_preload_run(plan, order, preload->count, &cancelled) : cbn_error_memory();
    free(order);
    if (status) {
        return status;
    }
    if (cancelled) {
        return cbn_error(CUBINET_ERROR_CANCELLED, "the program cancelled when %zu of %zu were done",
                         cancelled, preload->count);
    }
    return plan->options->flags & CUBINET_PRELOAD_KEEP_GOING ? CUBINET_OK : find_failure(preload);
}

/* The context that the calling thread would load into is there for as long as any thread works. */
static cubinet_status run_in_context(struct cbn_preload_plan *plan, const cubinet_preload *preload)
{
    const struct cbn_driver_table *cu = &plan->driver->cu;
    cubinet_status status = cbn_context_choose(cu, plan->device, &plan->context);
    if (!status) {
        status = run_tasks(plan, preload);
        cbn_context_release(cu, plan->device, &plan->context);
    }
    return status;
}

/* Unloads and frees everything; what the unloading of the first came to that failed. */
static cubinet_status release(cubinet_preload *preload)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < preload->count; i++) {
        struct cbn_preload_task *task = &preload->tasks[i];
        cubinet_status unloaded = cubinet_module_unload(task->module);
        status = status ? status : unloaded;
        free(task->name);
        free(task->message);
    }
    free(preload->tasks);
    free(preload);
    return status;
}

cubinet_status cbn_preload_make(struct cbn_preload_plan *plan, const cubinet_preload_item *items,
                                size_t count, cubinet_preload **out_preload)
{
    cubinet_preload *preload = calloc(1, sizeof(*preload));
    if (!preload) {
        return cbn_error_memory();
    }
    /* What a task had to say stands in its result. */
    struct cbn_kept_error kept = cbn_error_keep();
    cubinet_status status = cbn_preload_tasks_add(preload, items, count);
    for (size_t i = 0; !status && plan->kernels && i < count; i++) {
        preload->tasks[i].kernels = &plan->kernels[i]; /* each item is one module */
    }
    if (!status) {
        status = run_in_context(plan, preload);
    }
    cbn_error_settle(&kept, status);
    if (status) {
        struct cbn_kept_error failure = cbn_error_keep();
        release(preload);
        cbn_error_put_back(&failure);
        return status;
    }
    *out_preload = preload;
    return CUBINET_OK;
}

cubinet_status cbn_preload_read_options(const cubinet_driver *driver, CUdevice device,
                                        const cubinet_preload_options *options,
                                        cubinet_preload_options *known, struct cbn_preload_plan *out_plan)
{
    *out_plan = (struct cbn_preload_plan){.driver = driver, .options = known};
    cubinet_status status = cbn_sized_read(options, "cubinet_preload_options", known, sizeof(*known));
    if (!status) {
        status = cbn_flags_check("cubinet_preload_options", known->flags,
                                 CUBINET_PRELOAD_KEEP_GOING | CUBINET_PRELOAD_NO_MODULES, 0);
    }
    return status ? status : cbn_driver_find_device(driver, device, &out_plan->device);
}

cubinet_status cubinet_preload_run(const cubinet_driver *driver, CUdevice device,
                                   const cubinet_preload_item *items, size_t count,
                                   const cubinet_preload_options *options, cubinet_preload **out_preload)
{
    cubinet_preload_options known;
    struct cbn_preload_plan plan;
    cubinet_status status = check_arguments(driver, items, count, out_preload);
    if (!status) {
        status = cbn_preload_read_options(driver, device, options, &known, &plan);
    }
    for (size_t i = 0; i < count && !status; i++) {
        status = check_item(driver, plan.device, items, i);
    }
    return status ? status : cbn_preload_make(&plan, items, count, out_preload);
}

size_t cubinet_preload_get_result_count(const cubinet_preload *preload)
{
    return preload ? preload->count : 0;
}

static cubinet_status find_task(const cubinet_preload *preload, size_t index, const char *function,
                                struct cbn_preload_task **out_task)
{
    if (!preload) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: preload is NULL", function);
    }
    if (index >= preload->count) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "there is no result %zu: there are %zu, numbered from 0",
                         index, preload->count);
    }
    *out_task = &preload->tasks[index];
    return CUBINET_OK;
}

cubinet_status cubinet_preload_get_result(const cubinet_preload *preload, size_t index,
                                          cubinet_preload_result *out_result)
{
    struct cbn_preload_task *task = NULL;
    cubinet_status status = find_task(preload, index, "cubinet_preload_get_result", &task);
    if (status) {
        return status;
    }
    cubinet_preload_result result = cbn_preload_result(task);
    result.module = task->module;
    return cbn_sized_write(out_result, "cubinet_preload_result", &result, sizeof(result));
}

static cubinet_status no_result(const cubinet_preload *preload, const char *name)
{
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, name, strlen(name));
    for (size_t i = 0; i < preload->count; i++) {
        cbn_nearest_offer(&nearest, preload->tasks[i].name);
    }
    const char *found = cbn_nearest_found(&nearest);
    return cbn_error(CUBINET_ERROR_NOT_FOUND, "nothing called '%s' was preloaded%s%s%s", name,
                     found ? "; the nearest is '" : "", found ? found : "", found ? "'" : "");
}

cubinet_status cubinet_preload_find_result(const cubinet_preload *preload, const char *name,
                                           size_t *out_index)
{
    if (!preload || !name || !out_index) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_preload_find_result: %s is NULL",
                         !preload ? "preload"
                         : !name  ? "name"
                                  : "out_index");
    }
    for (size_t i = 0; i < preload->count; i++) {
        if (strcmp(preload->tasks[i].name, name) == 0) {
            *out_index = i;
            return CUBINET_OK;
        }
    }
    return no_result(preload, name);
}

cubinet_status cubinet_preload_take_module(cubinet_preload *preload, size_t index,
                                           cubinet_module **out_module)
{
    struct cbn_preload_task *task = NULL;
    cubinet_status status = find_task(preload, index, "cubinet_preload_take_module", &task);
    if (status) {
        return status;
    }
    if (!out_module) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_preload_take_module: out_module is NULL");
    }
    if (!task->module) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "'%s' has no module: %s", task->name,
                         !task->status   ? "it was not kept, or taken out before"
                         : task->message ? task->message
                                         : "out of memory");
    }
    *out_module = task->module;
    task->module = NULL;
    return CUBINET_OK;
}

cubinet_status cubinet_preload_destroy(cubinet_preload *preload)
{
    return preload ? release(preload) : CUBINET_OK;
}
