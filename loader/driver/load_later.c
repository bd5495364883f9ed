/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/load_later.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_settled(const struct cubinet_module *module)
{
    return atomic_load_explicit(&module->is_settled, memory_order_acquire);
}

static void settle(struct cubinet_module *module)
{
    atomic_store_explicit(&module->is_settled, true, memory_order_release);
}

/* Nobody else may change the module: it can't move on any more. */
static void keep_parts(struct cubinet_module *module)
{
    for (uint32_t i = 0; i < module->code->part_count; i++) {
        cbn_part_keep(module, i);
    }
}

/* What came of the close is all there is. */
static cubinet_status report_close(const struct cbn_load_later *later)
{
    if (later->status == CUBINET_ERROR_OUT_OF_MEMORY || !later->failure.message) {
        return cbn_error_memory();
    }
    return cbn_error_driver(
        later->status, cbn_kept_driver_result(&later->failure),
        "when the archive of module '%s' was closed, which ends the choice of its image: %s",
        later->request.module.name, cbn_kept_text(&later->failure));
}

/* After a call that found no image that the driver runs: perhaps it does now. */
static cubinet_status choose_again(struct cubinet_module *module)
{
    bool pushed = false;
    if (module->later->is_closed) {
        return report_close(module->later);
    }
    cubinet_status status = cbn_context_enter(&module->driver->cu, module->context.handle, &pushed);
    if (!status) {
        status = cbn_load_best(module, &module->later->request);
        status = cbn_context_leave(&module->driver->cu, pushed, status);
    }
    return status;
}

/* Has the module decide, while another image can still be taken. */
static cubinet_status decide(struct cubinet_module *module)
{
    bool has_moved = true;
    cubinet_status status = module->code ? CUBINET_OK : choose_again(module);
    while (!status && has_moved) {
        status = cbn_module_need_part(module, 0, &has_moved);
    }
    if (module->code) {
        settle(module);
    }
    return status;
}

static void before_close(struct cbn_archive_holder *holder)
{
    struct cbn_load_later *later =
        (struct cbn_load_later *)((char *)holder - offsetof(struct cbn_load_later, holder));
    struct cubinet_module *module = later->module;
    struct cbn_kept_error kept = cbn_error_keep();
    pthread_mutex_lock(&module->mutex);
    if (!is_settled(module)) {
        later->status = decide(module);
        later->failure = later->status ? cbn_error_keep() : later->failure;
    }
    if (module->code && module->archive == later->archive) {
        keep_parts(module);
    }
    later->is_closed = true;
    pthread_mutex_unlock(&module->mutex);
    cbn_error_put_back(&kept);
}

cubinet_status cbn_module_load_later(struct cubinet_module *module, const struct cbn_load_request *request)
{
    if (module->code->part_count == 1) {
        settle(module);
        return CUBINET_OK;
    }
    struct cbn_load_later *later = calloc(1, sizeof(*later));
    if (!later) {
        return cbn_error_memory();
    }
    later->module = module;
    later->request = *request;
    if (cbn_load_needs_place(request)) {
        settle(module); /* what is to be linked with may be gone when another image would be linked */
    }
    later->request.place = (struct cbn_link_place){.no_cache = request->place.no_cache};
    if (request->policy.only) {
        snprintf(later->only, sizeof(later->only), "%s", request->policy.only);
        later->request.policy.only = later->only;
    }
    later->archive = cbn_archive_retain(request->archive);
    later->holder.before_close = before_close;
    cbn_archive_hold(later->archive, &later->holder);
    module->later = later;
    return CUBINET_OK;
}

cubinet_status cbn_module_enter(struct cubinet_module *module, bool *out_locked)
{
    *out_locked = !is_settled(module);
    if (!*out_locked) {
        return CUBINET_OK;
    }
    pthread_mutex_lock(&module->mutex);
    cubinet_status status = module->code ? CUBINET_OK : choose_again(module);
    if (status) {
        pthread_mutex_unlock(&module->mutex);
    }
    return status;
}

cubinet_status cbn_module_leave(struct cubinet_module *module, bool is_locked, cubinet_status status)
{
    if (is_locked) {
        if (!status) {
            settle(module);
        }
        pthread_mutex_unlock(&module->mutex);
    }
    return status;
}

/* Takes the refusal over. */
static cubinet_status refuse_part(const struct cubinet_module *module, struct cbn_refusal refusal)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_image_info image = {.size = sizeof(image)};
    cubinet_archive_get_image(module->archive, module->index, module->image, &image);
    cubinet_status status =
        cbn_error_driver(CUBINET_ERROR_NO_IMAGE, (int)refusal.result,
                         "module '%s': the driver refused a part of %s on device %d (%s), which the module "
                         "already uses, so it can't change to another image: %s",
                         module->later->request.module.name, cubinet_target_name(image.target, target),
                         module->device->handle, module->device->name, refusal.text ? refusal.text : "");
    free(refusal.text);
    return status;
}

static cubinet_status load_in_context(struct cubinet_module *module, uint32_t part, bool *out_moved)
{
    struct cbn_refusal refusal = {0};
    cubinet_status status = CUBINET_OK;
    enum cbn_attempt attempt = cbn_part_load(module, part, false, &refusal, &status);
    if (attempt != CBN_ATTEMPT_REFUSED) {
        return status;
    }
    if (is_settled(module)) {
        return refuse_part(module, refusal);
    }
    status = cbn_load_next(module, &module->later->request, refusal);
    *out_moved = !status;
    return status;
}

cubinet_status cbn_module_need_part(struct cubinet_module *module, uint32_t part, bool *out_moved)
{
    bool pushed = false;
    *out_moved = false;
    if (cbn_part_is_loaded(module->code, part)) {
        return CUBINET_OK;
    }
    cubinet_status status = cbn_context_enter(&module->driver->cu, module->context.handle, &pushed);
    if (!status) {
        status = load_in_context(module, part, out_moved);
        status = cbn_context_leave(&module->driver->cu, pushed, status);
    }
    return status;
}

enum cbn_attempt cbn_module_ready_part(struct cubinet_module *module, uint32_t part,
                                       cubinet_status *out_status)
{
    bool pushed = false;
    struct cbn_refusal refusal = {0};
    *out_status = cbn_context_enter(&module->driver->cu, module->context.handle, &pushed);
    if (*out_status) {
        return CBN_ATTEMPT_FAILED;
    }
    enum cbn_attempt attempt = cbn_part_load(module, part, true, &refusal, out_status);
    free(refusal.text);
    *out_status = cbn_context_leave(&module->driver->cu, pushed, *out_status);
    return *out_status ? CBN_ATTEMPT_FAILED : attempt;
}

void cbn_module_settle(struct cubinet_module *module)
{
    settle(module);
}
