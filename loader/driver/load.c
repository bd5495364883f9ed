/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/load.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/select/policy.h"
#include "loader/core/select/remedy.h"
#include "loader/core/select/select.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"
#include "loader/core/support/text_stream.h"
#include "loader/driver/errors.h"
#include "loader/driver/load_image.h"
#include "loader/driver/load_link.h"
#include "loader/driver/rest.h"

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
        status = cbn_flags_check("cubinet_load_options", known.flags, CUBINET_LOAD_NO_CACHE, known.reserved);
    }
    if (!status) {
        status = cbn_policy_resolve(known.policy, &request.policy);
    }
    if (!status) {
        status = cubinet_archive_find_module(archive, name, &request.index);
        status = status == CUBINET_ERROR_NOT_FOUND ? cbn_rest_find_module(status, name, &request) : status;
    }
    if (!status) {
        status = cubinet_archive_get_module(request.archive, request.index, &request.module);
    }
    if (!status) {
        request.place = (struct cbn_link_place){.nvjitlink = known.nvjitlink,
                                                .cache = known.cache,
                                                .no_cache = (known.flags & CUBINET_LOAD_NO_CACHE) != 0};
        *out_request = request;
    }
    return status;
}

bool cbn_load_needs_place(const struct cbn_load_request *request)
{
    cubinet_image_info image = {.size = sizeof(image)};
    if (!request->place.cache && !request->place.nvjitlink) {
        return false;
    }
    for (uint32_t i = 0; i < request->module.image_count; i++) {
        if (!cubinet_archive_get_image(request->archive, request->index, i, &image) &&
            image.target.kind == CUBINET_IMAGE_LTOIR) {
            return true;
        }
    }
    return false;
}

/* Modules with so many images need no memory but the stack's to choose among them. */
enum { FEW_IMAGES = 16 };

/* What one load works with besides the module. The arrays have an element for each image of the module. */
struct load {
    const struct cbn_load_request *request;
    cubinet_device_profile profile;
    uint32_t image_count;
    cubinet_image_info *images;
    cubinet_verdict *verdicts;    /* candidates first, best first */
    struct cbn_refusal *refusals; /* of the candidates tried so far; NULL before one was refused */
    size_t refused;
    size_t candidate_count;
    bool linker_is_known; /* the profile tells which nvJitLink there is */
    cubinet_image_info few_images[FEW_IMAGES];
    cubinet_verdict few_verdicts[FEW_IMAGES];
};

static void load_free(struct load *load)
{
    for (size_t i = 0; i < load->refused; i++) {
        free(load->refusals[i].text);
    }
    if (load->images != load->few_images) {
        free(load->images);
        free(load->verdicts);
    }
    free(load->refusals);
}

static cubinet_status make_room(struct load *load)
{
    if (load->image_count <= FEW_IMAGES) {
        load->images = load->few_images;
        load->verdicts = load->few_verdicts;
        return CUBINET_OK;
    }
    load->images = calloc(load->image_count, sizeof(*load->images));
    load->verdicts = calloc(load->image_count, sizeof(*load->verdicts));
    return load->images && load->verdicts ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status load_start(struct load *load, const struct cbn_load_request *request,
                                 const struct cubinet_module *module)
{
    load->request = request;
    load->profile = cbn_device_profile(module->driver, module->device);
    load->image_count = request->module.image_count;
    load->images = NULL;
    load->verdicts = NULL;
    load->refusals = NULL;
    load->refused = 0;
    load->linker_is_known = false;
    cubinet_status status = make_room(load);
    return status ? status : cbn_archive_get_images(request->archive, request->index, load->images);
}

static void rank(struct load *load)
{
    load->candidate_count = cubinet_images_rank(load->images, load->image_count, &load->profile,
                                                &load->request->policy, load->verdicts);
}

static bool has_ltoir(const struct load *load)
{
    for (uint32_t i = 0; i < load->image_count; i++) {
        if (load->images[i].target.kind == CUBINET_IMAGE_LTOIR) {
            return true;
        }
    }
    return false;
}

/* Looks which nvJitLink there is, if a candidate may depend on it: while there are cubins to try, none does.
 * The order of those that were tried already stays, because they were cubins. */
static void consider_linking(struct load *load, const struct cubinet_module *module)
{
    bool is_cubin_next =
        load->refused < load->candidate_count && load->verdicts[load->refused].match < CUBINET_MATCH_LINK;
    if (load->linker_is_known ||
        (is_cubin_next && !(load->request->policy.flags & CUBINET_POLICY_PREFER_LTOIR)) || !has_ltoir(load)) {
        return;
    }
    load->profile.nvjitlink_version =
        cbn_load_linker_release(load->request, module, load->images, load->image_count);
    load->linker_is_known = true;
    rank(load);
}

static const cubinet_image_info *load_image(const struct load *load, size_t verdict)
{
    return &load->images[load->verdicts[verdict].image];
}

/* Why an image was not tried. */
static void print_verdict(FILE *file, const struct load *load, size_t verdict, const char *target)
{
    const struct cbn_load_request *request = load->request;
    if (request->is_rest && strcmp(target, request->policy.only) != 0) {
        fprintf(file, "\n  %s is not %s, which the module runs", target, request->policy.only);
    } else {
        cbn_verdict_print(file, &load->verdicts[verdict], load_image(load, verdict), &load->profile,
                          &request->policy);
    }
}

/* A line for each image: what the driver said of it, or why it was not tried. */
static void list_images(FILE *file, const struct load *load)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    for (size_t i = 0; i < load->image_count; i++) {
        cubinet_target_name(load_image(load, i)->target, target);
        if (i < load->refused) {
            const char *text = load->refusals[i].text;
            fprintf(file, "\n  %s: %s", target, text ? text : "the driver refused it");
        } else {
            print_verdict(file, load, i, target);
        }
    }
}

static cubinet_status no_image(const struct load *load, const struct cubinet_module *module)
{
    const struct cbn_device *device = module->device;
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    if (!file) {
        return cbn_error_memory();
    }
    list_images(file, load);
    cbn_remedy_print(file, load->verdicts, load->images, load->image_count, &load->profile);
    char *list = cbn_text_stream_close(&stream);
    if (!list) {
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
                   refusal->result == CBN_CU_SUCCESS
                       ? "module '%s': %s could not be linked for device %d (%s): %s"
                       : "module '%s': the driver refused %s on device %d (%s): %s",
                   name, cubinet_target_name(image->target, target), module->device->handle,
                   module->device->name, refusal->text ? refusal->text : "");
}

/* other: the module that the code is shared with, or NULL */
static void log_choice(const struct cubinet_module *module, const char *name, const cubinet_image_info *image,
                       const struct cubinet_module *other)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    char sharing[64] = "";
    char parts[32] = "";
    if (!module->driver->log) {
        return;
    }
    if (other) {
        snprintf(sharing, sizeof(sharing), ", with device %d", other->device->handle);
    }
    if (image->part_count > 1) {
        snprintf(parts, sizeof(parts), ", in %u parts", (unsigned)image->part_count);
    }
    cbn_driver_log(module->driver, CUBINET_LOG_INFO, "module '%s': %s %s on device %d (%s)%s%s", name,
                   parts[0] ? "takes" : "loaded", cubinet_target_name(image->target, target),
                   module->device->handle, module->device->name, sharing, parts);
}

/* Whether another image may do where a link failed. */
static bool is_refusal(cubinet_status status)
{
    return status == CUBINET_ERROR_LINK || status == CUBINET_ERROR_TOOLKIT ||
           status == CUBINET_ERROR_NO_IMAGE;
}

/* Links an image of LTO-IR, and has the module loaded from what came out. */
static enum cbn_attempt try_link(const struct load *load, struct cubinet_module *module, uint32_t image,
                                 struct cbn_refusal *out_refusal, cubinet_status *out_status)
{
    cubinet_archive *linked = NULL;
    cubinet_image_info cubin = {.size = sizeof(cubin)};
    struct cbn_kept_error kept = cbn_error_keep();
    *out_status = cbn_load_link(load->request, module, image, &linked);
    if (is_refusal(*out_status)) {
        *out_refusal = (struct cbn_refusal){CBN_CU_SUCCESS, strdup(cubinet_error_message())};
        cbn_error_put_back(&kept);
        return CBN_ATTEMPT_REFUSED;
    }
    if (*out_status) {
        cbn_error_drop(&kept);
        return CBN_ATTEMPT_FAILED;
    }
    cbn_error_put_back(&kept);
    *out_status = cubinet_archive_get_image(linked, 0, 0, &cubin);
    if (!*out_status) {
        *out_status = cbn_module_take(module, linked, 0);
    }
    cbn_archive_release(linked);
    return *out_status ? CBN_ATTEMPT_FAILED
                       : cbn_image_try(module, 0, &cubin, load->request->haste, out_refusal, out_status);
}

/* What can't move on to another image later has to be proved now. */
static enum cbn_haste haste(const struct cbn_load_request *request)
{
    return request->haste == CBN_HASTE_NONE && cbn_load_needs_place(request) ? CBN_HASTE_PROOF
                                                                             : request->haste;
}

static enum cbn_attempt try_image(const struct load *load, struct cubinet_module *module, uint32_t image,
                                  struct cbn_refusal *out_refusal, cubinet_status *out_status)
{
    if (load->images[image].target.kind == CUBINET_IMAGE_LTOIR) {
        return try_link(load, module, image, out_refusal, out_status);
    }
    *out_status = cbn_module_take(module, load->request->archive, load->request->index);
    return *out_status ? CBN_ATTEMPT_FAILED
                       : cbn_image_try(module, image, &load->images[image], haste(load->request), out_refusal,
                                       out_status);
}

/* Takes over the refusal. */
static cubinet_status note_refusal(struct load *load, struct cbn_refusal refusal)
{
    if (!load->refusals) {
        load->refusals = calloc(load->image_count, sizeof(*load->refusals));
    }
    if (!load->refusals) {
        free(refusal.text);
        return cbn_error_memory();
    }
    load->refusals[load->refused++] = refusal;
    return CUBINET_OK;
}

static cubinet_status load_first_that_works(struct load *load, struct cubinet_module *module)
{
    consider_linking(load, module);
    while (load->refused < load->candidate_count) {
        cubinet_status status = CUBINET_OK;
        struct cbn_refusal refusal = {0};
        uint32_t image = load->verdicts[load->refused].image;
        enum cbn_attempt attempt = try_image(load, module, image, &refusal, &status);
        if (attempt == CBN_ATTEMPT_LOADED) {
            log_choice(module, load->request->module.name, &load->images[image], NULL);
            return CUBINET_OK;
        }
        if (attempt == CBN_ATTEMPT_FAILED) {
            return status;
        }
        log_refusal(module, load->request->module.name, &load->images[image], &refusal);
        status = note_refusal(load, refusal);
        if (status) {
            return status;
        }
        consider_linking(load, module);
    }
    return no_image(load, module);
}

cubinet_status cbn_load_best(struct cubinet_module *module, const struct cbn_load_request *request)
{
    struct load load; /* not cleared: most of it is room */
    cubinet_status status = load_start(&load, request, module);
    if (!status) {
        rank(&load);
        status = load_first_that_works(&load, module);
    }
    load_free(&load);
    return status;
}

/* Goes past an image, as if it and what was tried before it had been refused just now. */
static cubinet_status skip(struct load *load, struct cubinet_module *module, uint32_t image,
                           struct cbn_refusal refusal)
{
    rank(load);
    consider_linking(load, module);
    cubinet_status status = CUBINET_OK;
    bool is_found = false;
    while (!status && !is_found && load->refused < load->candidate_count) {
        is_found = load->verdicts[load->refused].image == image;
        status = note_refusal(load, is_found ? refusal : (struct cbn_refusal){.result = CBN_CU_SUCCESS});
    }
    if (!is_found) {
        free(refusal.text);
    }
    return status;
}

cubinet_status cbn_load_next(struct cubinet_module *module, const struct cbn_load_request *request,
                             struct cbn_refusal refusal)
{
    struct load load; /* not cleared: most of it is room */
    uint32_t refused = module->image;
    cubinet_status status = load_start(&load, request, module);
    if (status) {
        free(refusal.text);
    } else {
        log_refusal(module, request->module.name, &load.images[refused], &refusal);
        status = skip(&load, module, refused, refusal);
    }
    cbn_image_unload(module);
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
    cubinet_status status = cbn_module_take(module, other->archive, other->index);
    if (!status) {
        status = cubinet_archive_get_image(module->archive, module->index, other->image, &image);
    }
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
