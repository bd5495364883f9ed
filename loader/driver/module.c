/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and unloading modules. */
#include "module.h"

#include "cbn_archive.h"
#include "error.h"
#include "errors.h"
#include "load_image.h"
#include "policy.h"
#include "sized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one load works with besides the module. The arrays have an element for each image of the module. */
struct load {
    cubinet_policy policy;
    cubinet_device_profile profile;
    const char *name; /* of the module */
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
    load->candidate_count =
        cubinet_select(load->images, load->image_count, &load->profile, &load->policy, load->verdicts);
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
                             &load->policy, reason, sizeof(reason));
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
        load->name, device->handle, device->name, device->compute_major, device->compute_minor,
        module->driver->version / 1000, module->driver->version % 1000 / 10, list);
    free(list);
    return status;
}

/* Says which image it was, and of the better ones why not. */
static void log_choice(const struct load *load, const struct cubinet_module *module)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    const cubinet_driver *driver = module->driver;
    for (size_t i = 0; i < load->refused; i++) {
        const char *text = load->refusals[i].text;
        cbn_driver_log(driver, CUBINET_LOG_WARNING,
                       "module '%s': the driver refused %s on device %d (%s): %s", load->name,
                       cubinet_target_name(load_image(load, i)->target, target), module->device->handle,
                       module->device->name, text ? text : "");
    }
    cbn_driver_log(driver, CUBINET_LOG_INFO, "module '%s': loaded %s on device %d (%s)", load->name,
                   cubinet_target_name(load->images[module->image].target, target), module->device->handle,
                   module->device->name);
}

static cubinet_status load_first_that_works(struct load *load, struct cubinet_module *module)
{
    while (load->refused < load->candidate_count) {
        cubinet_status status = CUBINET_OK;
        struct cbn_refusal refusal = {0};
        uint32_t image = load->verdicts[load->refused].image;
        enum cbn_attempt attempt = cbn_image_try(module, image, &load->images[image], &refusal, &status);
        if (attempt == CBN_ATTEMPT_LOADED) {
            log_choice(load, module);
            return CUBINET_OK;
        }
        if (attempt == CBN_ATTEMPT_FAILED) {
            return status;
        }
        load->refusals[load->refused++] = refusal;
    }
    return no_image(load, module);
}

/* In the module's context, which is current only meanwhile. */
static cubinet_status load_in_context(struct load *load, struct cubinet_module *module)
{
    const struct cbn_driver_table *cu = &module->driver->cu;
    bool pushed = false;
    cubinet_status status = cbn_context_enter(cu, module->context.handle, &pushed);
    if (status) {
        return status;
    }
    status = load_first_that_works(load, module);
    return cbn_context_leave(cu, pushed, status);
}

static cubinet_status make_kernels(struct cubinet_module *module)
{
    /* At least one: calloc() may answer 0 with NULL. */
    size_t count = module->kernel_count ? module->kernel_count : 1;
    module->kernels = calloc(count, sizeof(*module->kernels));
    module->states = calloc(count, sizeof(*module->states));
    if (!module->kernels || !module->states) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        module->kernels[i].module = module;
        module->kernels[i].index = i;
        module->kernels[i].state = &module->states[i];
    }
    return CUBINET_OK;
}

/* Frees a module, also a half-built one, and returns the first thing that the driver said against it. */
static cbn_cu_result module_free(struct cubinet_module *module)
{
    cbn_cu_result unloaded = cbn_image_unload(module);
    cbn_cu_result released = cbn_context_release(&module->driver->cu, module->device, &module->context);
    cbn_archive_release(module->archive);
    pthread_mutex_destroy(&module->opt_in);
    free(module->kernels);
    free(module->states);
    free(module);
    return unloaded != CBN_CU_SUCCESS ? unloaded : released;
}

static cubinet_status module_new(const cubinet_driver *driver, const struct cbn_device *device,
                                 const cubinet_archive *archive, struct cubinet_module **out_module)
{
    struct cubinet_module *module = calloc(1, sizeof(*module));
    if (!module) {
        return cbn_error_memory();
    }
    if (pthread_mutex_init(&module->opt_in, NULL)) {
        free(module);
        return cbn_error_memory();
    }
    module->driver = driver;
    module->device = device;
    module->archive = cbn_archive_retain(archive);
    *out_module = module;
    return CUBINET_OK;
}

/* Fills a new module. On failure the caller frees it. */
static cubinet_status module_fill(struct cubinet_module *module, const char *name,
                                  const cubinet_policy *policy)
{
    cubinet_module_info info = {.size = sizeof(info)};
    struct load load = {0};
    cubinet_status status = cbn_policy_resolve(policy, &load.policy);
    if (!status) {
        status = cubinet_archive_find_module(module->archive, name, &module->index);
    }
    if (!status) {
        status = cubinet_archive_get_module(module->archive, module->index, &info);
    }
    if (status) {
        return status;
    }
    load.name = info.name;
    load.image_count = info.image_count;
    module->kernel_count = info.kernel_count;
    status = make_kernels(module);
    if (!status) {
        status = load_select(&load, module);
    }
    if (!status) {
        status = cbn_context_choose(&module->driver->cu, module->device, &module->context);
    }
    if (!status) {
        status = load_in_context(&load, module);
    }
    load_free(&load);
    return status;
}

cubinet_status cubinet_module_load(cubinet_driver *driver, const cubinet_archive *archive, const char *name,
                                   CUdevice device, const cubinet_load_options *options,
                                   cubinet_module **out_module)
{
    if (!driver || !archive || !name || !out_module) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_module_load: %s is NULL",
                         !driver    ? "driver"
                         : !archive ? "archive"
                         : !name    ? "name"
                                    : "out_module");
    }
    cubinet_load_options known;
    cubinet_status status = cbn_sized_read(options, "cubinet_load_options", &known, sizeof(known));
    if (status) {
        return status;
    }
    const struct cbn_device *found = NULL;
    status = cbn_driver_find_device(driver, device, &found);
    if (status) {
        return status;
    }
    struct cubinet_module *module = NULL;
    status = module_new(driver, found, archive, &module);
    if (status) {
        return status;
    }
    status = module_fill(module, name, known.policy);
    if (status) {
        module_free(module);
        return status;
    }
    *out_module = module;
    return CUBINET_OK;
}

cubinet_status cubinet_module_unload(cubinet_module *module)
{
    if (!module) {
        return CUBINET_OK;
    }
    const struct cbn_driver_table *cu = &module->driver->cu;
    cbn_cu_result result = module_free(module);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "unloading a module");
    }
    return CUBINET_OK;
}

cubinet_status cubinet_module_get_image(const cubinet_module *module, cubinet_image_info *out_info)
{
    if (!module) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_module_get_image: module is NULL");
    }
    return cubinet_archive_get_image(module->archive, module->index, module->image, out_info);
}

CUcontext cubinet_module_context(const cubinet_module *module)
{
    return module ? module->context.handle : NULL;
}

CUlibrary cubinet_module_library(const cubinet_module *module)
{
    return module ? module->library : NULL;
}
