/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/rest_module.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/rest.h"
#include "loader/core/support/error.h"
#include "loader/driver/load_devices.h"
#include "loader/driver/rest.h"

/* Loads the module of the rest. */
static cubinet_status load(const struct cubinet_module *module, const struct cbn_load_request *request,
                           struct cubinet_module **out_module)
{
    const struct cbn_driver_table *cu = &module->driver->cu;
    bool pushed = false;
    cubinet_status status = cbn_context_enter(cu, module->context.handle, &pushed);
    if (status) {
        return status;
    }
    status = cbn_module_load_on(module->driver, module->device, NULL, request, out_module);
    return cbn_context_leave(cu, pushed, status);
}

static cubinet_status load_once(struct cubinet_module *module, const struct cbn_load_request *request)
{
    struct cubinet_module *there = NULL;
    struct cubinet_module *fresh = NULL;
    cubinet_status status = load(module, request, &fresh);
    if (status) {
        return status;
    }
    if (atomic_compare_exchange_strong(&module->rest, &there, fresh)) {
        cbn_driver_log(module->driver, CUBINET_LOG_INFO,
                       "module '%s': what the record lacks comes from the rest, %s", request->module.name,
                       cbn_archive_name(request->archive));
        return CUBINET_OK;
    }
    return cubinet_module_unload(fresh); /* another thread was faster */
}

cubinet_status cbn_rest_of_module(struct cubinet_module *module, struct cubinet_module **out_rest)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_image_info image = {.size = sizeof(image)};
    cubinet_module_info info = {.size = sizeof(info)};
    struct cbn_load_request request = {.policy = {.size = sizeof(request.policy), .only = target},
                                       .is_rest = true};
    bool is_found = false;
    if (atomic_load(&module->rest) || !cbn_archive_is_sliced(module->archive)) {
        *out_rest = atomic_load(&module->rest);
        return CUBINET_OK;
    }
    cubinet_status status = cubinet_archive_get_image(module->archive, module->index, module->image, &image);
    if (!status) {
        cubinet_target_name(image.target, target);
        status = cubinet_archive_get_module(module->archive, module->index, &info);
    }
    if (!status) {
        status = cbn_rest_seek(module->archive, info.name, &request, &is_found);
    }
    if (!status && is_found) {
        status = load_once(module, &request);
        status = status ? cbn_error_context(status, "its rest, %s", cbn_archive_name(request.archive))
                        : CUBINET_OK;
    }
    *out_rest = atomic_load(&module->rest);
    return status;
}

/* No image of the archive has the kernel: it is not that others have it, and the loaded one does not. */
static bool was_left_out(const struct cubinet_module *module, uint32_t kernel)
{
    cubinet_module_info info = {.size = sizeof(info)};
    bool is_nowhere = cbn_archive_is_sliced(module->archive) &&
                      !cubinet_archive_get_module(module->archive, module->index, &info);
    for (uint32_t i = 0; is_nowhere && i < info.image_count; i++) {
        is_nowhere = !cbn_archive_image_has_kernel(module->archive, module->index, i, kernel);
    }
    return is_nowhere;
}

cubinet_status cbn_rest_of_kernel(struct cubinet_module *module, uint32_t kernel, const char *name,
                                  struct cubinet_module **out_rest)
{
    if (!was_left_out(module, kernel)) {
        return CUBINET_OK;
    }
    cubinet_status status = cbn_rest_of_module(module, out_rest);
    if (status) {
        return cbn_error_context(status, "kernel '%s' was left out of %s", name,
                                 cbn_archive_name(module->archive));
    }
    return *out_rest ? CUBINET_OK : cbn_archive_was_left_out(module->archive, "kernel", name);
}
