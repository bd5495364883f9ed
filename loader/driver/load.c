/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include "error.h"
#include "errors.h"
#include "load_image.h"
#include "policy.h"
#include "sized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cubinet_status cbn_load_request_make(const cubinet_archive *archive, const char *name,
                                     const cubinet_load_options *options,
                                     struct cbn_load_request *out_request)
{
    struct cbn_load_request request = {.archive = archive, .module = {.size = sizeof(request.module)}};
    cubinet_load_options known;
    cubinet_status status = cbn_sized_read(options, "cubinet_load_options", &known, sizeof(known));
    if (!status) {
        status = cbn_policy_resolve(known.policy, &request.policy);
    }
    if (!status) {
        status = cubinet_archive_find_module(archive, name, &request.index);
    }
    if (!status) {
        status = cubinet_archive_get_module(archive, request.index, &request.module);
    }
    if (!status) {
        *out_request = request;
    }
    return status;
}

/* What one load works with besides the module. The arrays have an element for each image of the module. */
struct load {
    const struct cbn_load_request *request;
    cubinet_device_profile profile;
    uint32_t image_count;
    cubinet_image_info *images;
    cubinet_verdict *verdicts;    /* candidates first, best first */
    struct cbn_refusal *refusals; /* of the candidates tried so far */
    size_t refused;
    size_t candidate_count;
};

static void load_free(struct load *load)
{
    for (size_t i = 0; i < load->refused; i++) {
        free(load->refusals[i].text);
    }
    free(load->images);
    free(load->verdicts);
    free(load->refusals);
}

static cubinet_status load_select(struct load *load, const struct cubinet_module *module)
{
    load->image_count = load->request->module.image_count;
    load->images = calloc(load->image_count, sizeof(*load->images));
    load->verdicts = calloc(load->image_count, sizeof(*load->verdicts));
    load->refusals = calloc(load->image_count, sizeof(*load->refusals));
    if (!load->images || !load->verdicts || !load->refusals) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < load->image_count; i++) {
        load->images[i].size = sizeof(load->images[i]);
        cubinet_status status =
            cubinet_archive_get_image(module->archive, module->index, i, &load->images[i]);
        if (status) {
            return status;
        }
    }
    load->profile = cbn_device_profile(module->driver, module->device);
    load->candidate_count = cubinet_select(load->images, load->image_count, &load->profile,
                                           &load->request->policy, load->verdicts);
    return CUBINET_OK;
}

static const cubinet_image_info *load_image(const struct load *load, size_t verdict)
{
    return &load->images[load->verdicts[verdict].image];
}

/* Why selection did not choose an image: a sentence that may or may not start with its target. */
static void print_reason(FILE *file, const struct load *load, size_t verdict, const char *target)
{
    char reason[512];
    cubinet_verdict_describe(&load->verdicts[verdict], load_image(load, verdict), &load->profile,
                             &load->request->policy, reason, sizeof(reason));
    bool is_named = strncmp(reason, target, strlen(target)) == 0;
    fprintf(file, "\n  %s%s%s", is_named ? "" : target, is_named ? "" : ": ", reason);
}

/* A line for each image: what the driver said of it, or why it was not tried. */
static void list_images(FILE *file, const struct load *load)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    for (size_t i = 0; i < load->image_count; i++) {
        cubinet_target_name(load_image(load, i)->target, target);
        if (i >= load->refused) {
            print_reason(file, load, i, target);
            continue;
        }
        const char *text = load->refusals[i].text;
        fprintf(file, "\n  %s: %s", target, text ? text : "the driver refused it");
    }
}

static cubinet_status no_image(const struct load *load, const struct cubinet_module *module)
{
    const struct cbn_device *device = module->device;
    char *list = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&list, &size);
    if (!file) {
        return cbn_error_memory();
    }
    list_images(file, load);
    if (fclose(file)) {
        free(list);
        return cbn_error_memory();
    }
    cbn_cu_result result = load->refused ? load->refusals[load->refused - 1].result : CBN_CU_SUCCESS;
    cubinet_status status = cbn_error_driver(
        CUBINET_ERROR_NO_IMAGE, (int)result,
        "no image of module '%s' runs on device %d (%s, compute capability %d.%d, driver for CUDA %d.%d):%s",
        load->request->module.name, device->handle, device->name, device->compute_major,
        device->compute_minor, module->driver->version / 1000, module->driver->version % 1000 / 10, list);
    free(list);
    return status;
}

static void log_refusal(const struct cubinet_module *module, const char *name,
                        const cubinet_image_info *image, const struct cbn_refusal *refusal)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    cbn_driver_log(module->driver, CUBINET_LOG_WARNING,
                   "module '%s': the driver refused %s on device %d (%s): %s", name,
                   cubinet_target_name(image->target, target), module->device->handle, module->device->name,
                   refusal->text ? refusal->text : "");
}

/* other: the module that the code is shared with, or NULL */
static void log_choice(const struct cubinet_module *module, const char *name, const cubinet_image_info *image,
                       const struct cubinet_module *other)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    char sharing[64] = "";
    if (other) {
        snprintf(sharing, sizeof(sharing), ", with device %d", other->device->handle);
    }
    cbn_driver_log(module->driver, CUBINET_LOG_INFO, "module '%s': loaded %s on device %d (%s)%s", name,
                   cubinet_target_name(image->target, target), module->device->handle, module->device->name,
                   sharing);
}

static cubinet_status load_first_that_works(struct load *load, struct cubinet_module *module)
{
    while (load->refused < load->candidate_count) {
        cubinet_status status = CUBINET_OK;
        struct cbn_refusal refusal = {0};
        uint32_t image = load->verdicts[load->refused].image;
        enum cbn_attempt attempt = cbn_image_try(module, image, &load->images[image], &refusal, &status);
        if (attempt == CBN_ATTEMPT_LOADED) {
            log_choice(module, load->request->module.name, &load->images[image], NULL);
            return CUBINET_OK;
        }
        if (attempt == CBN_ATTEMPT_FAILED) {
            return status;
        }
        log_refusal(module, load->request->module.name, &load->images[image], &refusal);
        load->refusals[load->refused++] = refusal;
    }
    return no_image(load, module);
}

cubinet_status cbn_load_best(struct cubinet_module *module, const struct cbn_load_request *request)
{
    struct load load = {.request = request};
    cubinet_status status = load_select(&load, module);
    if (!status) {
        status = load_first_that_works(&load, module);
    }
    load_free(&load);
    return status;
}

cubinet_status cbn_load_shared(struct cubinet_module *module, const struct cubinet_module *other,
                               const struct cbn_load_request *request)
{
    cubinet_image_info image = {.size = sizeof(image)};
    struct cbn_refusal refusal = {0};
    cubinet_status status = cubinet_archive_get_image(module->archive, module->index, other->image, &image);
    if (status) {
        return status;
    }
    switch (cbn_image_share(module, other, &refusal, &status)) {
    case CBN_ATTEMPT_LOADED:
        log_choice(module, request->module.name, &image, other);
        return CUBINET_OK;
    case CBN_ATTEMPT_FAILED:
        return status;
    case CBN_ATTEMPT_REFUSED:
        break;
    }
    log_refusal(module, request->module.name, &image, &refusal);
    free(refusal.text);
    return cbn_load_best(module, request);
}
