/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/worker.h"

#include "base/file.h"
#include "loader/core/support/error.h"
#include "tune/bench.h"
#include "tune/measure.h"

#include <cubinet/module.h>
#include <cubinet/tuning.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The process's own, which ends with it. */
struct worker {
    const struct worker_task *task;
    const struct tune_set *set;
    cubinet_driver *driver;
    cubinet_archive *archive;
    cubinet_module *module;
    cubinet_kernel **kernels;
    struct gpu gpu;
    cubinet_device_limits limits;
    struct outcome base; /* what all outcomes have */
};

static cubinet_status write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, text, size);
        if (written <= 0) {
            return cbn_error(CUBINET_ERROR_IO, "cannot write to the process that waits for measurements");
        }
        text += written;
        size -= (size_t)written;
    }
    return CUBINET_OK;
}

static cubinet_status send(const struct worker *worker, const struct outcome *outcome)
{
    json_t *object = outcome_to_json(outcome, worker->task->description);
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    cubinet_status status = text ? write_all(worker->task->output, text, strlen(text)) : cbn_error_memory();
    if (!status) {
        status = write_all(worker->task->output, "\n", 1);
    }
    free(text);
    json_decref(object);
    return status;
}

static cubinet_status describe_device(struct worker *worker)
{
    const struct worker_task *task = worker->task;
    struct outcome *base = &worker->base;
    void *function = NULL;
    unsigned (*get_name)(char *name, int length, CUdevice device) = NULL;
    worker->limits.size = sizeof(worker->limits);
    cubinet_status status = cubinet_driver_get_limits(worker->driver, task->device, &worker->limits);
    if (!status) {
        status = cubinet_driver_get_proc_address(worker->driver, "cuDeviceGetName", &function);
    }
    if (status) {
        return status;
    }
    memcpy(&get_name, &function, sizeof(get_name));
    if (get_name(base->gpu, sizeof(base->gpu), task->device) != 0) {
        return cbn_error(CUBINET_ERROR_DRIVER, "device %d has no name", task->device);
    }
    base->compute = (uint32_t)(10 * worker->limits.compute_major + worker->limits.compute_minor);
    base->multiprocessors = worker->limits.multiprocessor_count;
    base->driver_version = (uint32_t)cubinet_driver_get_version(worker->driver);
    return CUBINET_OK;
}

static cubinet_status load_kernels(struct worker *worker)
{
    const struct tune_set *set = worker->set;
    worker->kernels = calloc(set->instance_count, sizeof(cubinet_kernel *));
    if (!worker->kernels) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < set->instance_count; i++) {
        cubinet_kernel_info info = {.size = sizeof(info)};
        cubinet_status status =
            cubinet_module_find_kernel(worker->module, set->instances[i].kernel, &worker->kernels[i]);
        if (!status) {
            status = cubinet_kernel_get_info(worker->kernels[i], &info);
        }
        if (!status) {
            status = cbn_text_list_add(&worker->base.kernels, info.name);
        }
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

static cubinet_status open_module(struct worker *worker)
{
    const struct worker_task *task = worker->task;
    uint32_t module = 0;
    cubinet_status status = cubinet_archive_find_module(worker->archive, worker->set->module, &module);
    if (!status) {
        status = cubinet_module_load(worker->driver, worker->archive, worker->set->module, task->device, NULL,
                                     &worker->module);
    }
    return status ? status : load_kernels(worker);
}

static cubinet_status start(struct worker *worker)
{
    const struct worker_task *task = worker->task;
    /* A record of use is about programs, not about measurements. */
    const cubinet_driver_options options = {.size = sizeof(options), .record = ""};
    cubinet_status status = cubinet_driver_open(&options, &worker->driver);
    if (!status) {
        status = describe_device(worker);
    }
    if (!status) {
        status = cubinet_archive_open(task->archive, NULL, &worker->archive);
    }
    if (!status) {
        status = open_module(worker);
    }
    return status ? status
                  : gpu_open(worker->driver, task->device, cubinet_module_get_context(worker->module),
                             &worker->gpu);
}

/* The image that a kernel was loaded from, as tuning records tell it: that of one which was linked when it
 * was loaded is in no archive. */
static cubinet_status identify(const struct worker *worker, const char *kernel, struct outcome *outcome)
{
    cubinet_image_info loaded = {.size = sizeof(loaded)};
    uint32_t module = 0;
    uint32_t number = 0;
    uint32_t part = 0;
    cubinet_status status = cubinet_module_get_image(worker->module, &loaded);
    if (!status) {
        status = cubinet_archive_find_module(worker->archive, worker->set->module, &module);
    }
    if (status) {
        return status;
    }
    cubinet_target_name(loaded.target, outcome->target);
    outcome->toolkit = loaded.toolkit;
    cubinet_image_info image = {.size = sizeof(image)};
    while (!cubinet_archive_get_image(worker->archive, module, number, &image) &&
           cubinet_target_compare(image.target, loaded.target) != 0) {
        number++;
    }
    if (cubinet_target_compare(image.target, loaded.target) != 0) {
        return cbn_error(
            CUBINET_ERROR_LIMIT,
            "module '%s' is linked when it is loaded, and what was linked is in no archive: link "
            "it ahead with `cubinet link`",
            worker->set->module);
    }
    uint32_t known = 0;
    status = cubinet_archive_find_kernel(worker->archive, module, kernel, &known);
    if (!status) {
        status = cubinet_archive_find_part(worker->archive, module, number, known, &part);
    }
    return status ? status
                  : cubinet_archive_get_code_digest(worker->archive, module, number, part, outcome->digest);
}

/* SOURCE_DATE_EPOCH, as other things that are to be made again have it. */
static uint64_t date_now(void)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    return fixed && *fixed ? strtoull(fixed, NULL, 10) : (uint64_t)time(NULL);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static cubinet_status copy_base(const struct worker *worker, struct outcome *outcome)
{
    *outcome = worker->base;
    outcome->kernels = (struct cbn_text_list){0};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < worker->base.kernels.count; i++) {
        status = cbn_text_list_add(&outcome->kernels, worker->base.kernels.items[i]);
    }
    return status;
}

static cubinet_status measure_extent(struct worker *worker, uint32_t extent, struct outcome *outcome)
{
    const struct measured_on on = {
        .task = worker->task,
        .gpu = &worker->gpu,
        .kernels = worker->kernels,
        .multiprocessors = worker->limits.multiprocessor_count,
    };
    cubinet_status status = measure(&on, extent, outcome);
    if (!status) {
        status = identify(worker, outcome->kernels.items[outcome->trials[outcome->chosen].candidate.instance],
                          outcome);
    }
    outcome->date = date_now();
    return status;
}

/* An extent's failure is its outcome, unless the device can't be used any more: then this process ends, and
 * the other one knows by the state what did it. */
static cubinet_status run_extent(struct worker *worker, uint32_t extent)
{
    struct outcome outcome;
    double start_time = seconds_now();
    cubinet_status status = copy_base(worker, &outcome);
    outcome.extent = extent;
    atomic_store(&worker->task->state->extent, extent);
    if (!status) {
        status = measure_extent(worker, extent, &outcome);
    }
    if (status && worker->gpu.is_lost) {
        outcome_free(&outcome);
        return status;
    }
    if (status) {
        outcome.error = strdup(cubinet_error_message());
        if (!outcome.error) {
            outcome_free(&outcome);
            return cbn_error_memory();
        }
    }
    outcome.seconds = seconds_now() - start_time;
    atomic_store(&worker->task->state->phase, WORKER_REPORTS);
    status = send(worker, &outcome);
    outcome_free(&outcome);
    return status;
}

/* Where nothing can be measured, every extent has the same error. */
static cubinet_status fail_all(struct worker *worker)
{
    const struct worker_task *task = worker->task;
    char *message = strdup(cubinet_error_message());
    cubinet_status status = message ? CUBINET_OK : cbn_error_memory();
    for (uint32_t i = 0; !status && i < worker->set->extent_count; i++) {
        struct outcome outcome = worker->base;
        outcome.extent = i;
        outcome.error = message;
        if (!task->is_done[i]) {
            status = send(worker, &outcome);
        }
    }
    free(message);
    return status;
}

/* The message goes to who waits; the process ends without the driver's help. */
static int give_up(const struct worker_task *task)
{
    write_all(task->output, "!", 1);
    write_all(task->output, cubinet_error_message(), strlen(cubinet_error_message()));
    write_all(task->output, "\n", 1);
    return EXIT_FAILURE;
}

int worker_run(const struct worker_task *task)
{
    struct worker worker = {.task = task, .set = &task->description->sets[task->set]};
    worker.base.set = task->set;
    worker.base.is_cold = task->options->is_cold;
    atomic_store(&task->state->phase, WORKER_STARTS);
    if (start(&worker)) {
        return fail_all(&worker) ? give_up(task) : EXIT_SUCCESS;
    }
    for (uint32_t i = 0; i < worker.set->extent_count; i++) {
        if (!task->is_done[i] && run_extent(&worker, i)) {
            return give_up(task);
        }
    }
    return EXIT_SUCCESS;
}
