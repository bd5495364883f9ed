/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/preload_task.h"

#include "loader/core/support/error.h"
#include "loader/driver/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the name over, also on failure. */
static cubinet_status add_task(struct cubinet_preload *preload, const cubinet_preload_item *item, char *name)
{
    struct cbn_preload_task *tasks =
        name ? reallocarray(preload->tasks, preload->count + 1, sizeof(*tasks)) : NULL;
    if (!tasks) {
        free(name);
        return cbn_error_memory();
    }
    preload->tasks = tasks;
    tasks[preload->count++] = (struct cbn_preload_task){
        .name = name,
        .archive = item->archive,
        .link = item->link,
        .status = CUBINET_ERROR_CANCELLED,
    };
    return CUBINET_OK;
}

static cubinet_status add_all_modules(struct cubinet_preload *preload, const cubinet_preload_item *item)
{
    cubinet_status status = CUBINET_OK;
    uint32_t count = cubinet_archive_get_module_count(item->archive);
    for (uint32_t i = 0; i < count && !status; i++) {
        cubinet_module_info module = {.size = sizeof(module)};
        status = cubinet_archive_get_module(item->archive, i, &module);
        if (!status && module.kernel_count > 0) {
            status = add_task(preload, item, strdup(module.name));
        }
    }
    return status;
}

static cubinet_status add_link(struct cubinet_preload *preload, const cubinet_preload_item *item,
                               size_t number)
{
    char *name = NULL;
    int length = item->name ? asprintf(&name, "%s", item->name) : asprintf(&name, "link %zu", number);
    return add_task(preload, item, length < 0 ? NULL : name);
}

cubinet_status cbn_preload_tasks_add(struct cubinet_preload *preload, const cubinet_preload_item *items,
                                     size_t count)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (items[i].link) {
            status = add_link(preload, &items[i], i + 1);
        } else if (items[i].name) {
            status = add_task(preload, &items[i], strdup(items[i].name));
        } else {
            status = add_all_modules(preload, &items[i]);
        }
    }
    return status;
}

cubinet_preload_result cbn_preload_result(const struct cbn_preload_task *task)
{
    return (cubinet_preload_result){
        .size = sizeof(cubinet_preload_result),
        .name = task->name,
        .archive = task->archive,
        .link = task->link,
        .status = task->status,
        .message = task->message ? task->message : "",
        .milliseconds = task->milliseconds,
    };
}

/* Microseconds, measured with small kernels: of a load, of the driver's compiler and of nvJitLink, and for
 * each byte that they read. */
static const double load_time = 20, load_byte = 0.0002;
static const double compile_time = 12000, compile_byte = 0.12;
static const double link_time = 80000, link_byte = 0.6;

/* What starting a thread has to save to be worth it. */
static const double thread_time = 150;

static double image_cost(const cubinet_image_info *image)
{
    double bytes = (double)image->raw_size;
    double parts = (double)image->part_count;
    switch (image->target.kind) {
    case CUBINET_IMAGE_LTOIR:
        return parts * link_time + bytes * link_byte;
    case CUBINET_IMAGE_PTX:
    case CUBINET_IMAGE_TILEIR: /* not measured: taken for what PTX takes */
        return parts * compile_time + bytes * compile_byte;
    case CUBINET_IMAGE_CUBIN:
    case CUBINET_IMAGE_OPTIXIR: /* which is not loaded */
        break;
    }
    return parts * load_time + bytes * load_byte;
}

/* How many threads the parts of an image are worth. The driver takes machine code one after the other: 40
 * parts took 4.6 ms on an H100 with 16 threads, and 3.3 with one. */
static uint32_t worthwhile_threads(const cubinet_image_info *image)
{
    if (image->target.kind == CUBINET_IMAGE_CUBIN) {
        return 1;
    }
    double worth = 1 + image_cost(image) / thread_time;
    return worth < (double)image->part_count ? (uint32_t)worth : image->part_count;
}

static const cubinet_image_info *find_ltoir(const cubinet_image_info *images, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (images[i].target.kind == CUBINET_IMAGE_LTOIR) {
            return &images[i];
        }
    }
    return NULL;
}

/* The image that will be taken, as far as that is known without looking for nvJitLink: where no cubin fits,
 * LTO-IR is assumed to link. */
static const cubinet_image_info *guess_image(const cubinet_image_info *images, uint32_t count,
                                             const cubinet_device_profile *profile,
                                             const cubinet_policy *policy, cubinet_verdict *verdicts)
{
    size_t candidates = cubinet_images_rank(images, count, profile, policy, verdicts);
    const cubinet_image_info *best = candidates ? &images[verdicts[0].image] : NULL;
    bool is_cubin = best && best->target.kind == CUBINET_IMAGE_CUBIN;
    const cubinet_image_info *ltoir =
        is_cubin && !(policy->flags & CUBINET_POLICY_PREFER_LTOIR) ? NULL : find_ltoir(images, count);
    return ltoir ? ltoir : best;
}

static void estimate_module(const cubinet_device_profile *profile, const struct cbn_load_request *request,
                            struct cbn_preload_task *task)
{
    uint32_t count = request->module.image_count;
    cubinet_image_info *images = calloc((size_t)count + 1, sizeof(*images));
    cubinet_verdict *verdicts = calloc((size_t)count + 1, sizeof(*verdicts));
    bool is_read = images && verdicts;
    for (uint32_t i = 0; i < count && is_read; i++) {
        images[i].size = sizeof(images[i]);
        is_read = !cubinet_archive_get_image(request->archive, request->index, i, &images[i]);
    }
    const cubinet_image_info *image =
        is_read ? guess_image(images, count, profile, &request->policy, verdicts) : NULL;
    if (image) {
        task->cost = image_cost(image);
        task->threads = worthwhile_threads(image);
    }
    free(images);
    free(verdicts);
}

void cbn_preload_estimate(const cubinet_driver *driver, const struct cbn_device *device,
                          struct cbn_preload_task *task, const cubinet_load_options *options)
{
    struct cbn_load_request request;
    task->cost = task->link ? link_time : 0;
    task->threads = 1;
    if (task->link || cbn_load_request_make(task->archive, task->name, options, &request)) {
        return;
    }
    const cubinet_device_profile profile = cbn_device_profile(driver, device);
    estimate_module(&profile, &request, task);
}
