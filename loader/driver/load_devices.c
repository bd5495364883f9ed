/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a module for one device, or for several at once. */
#include "loader/driver/load_devices.h"

#include "loader/core/support/error.h"
#include "loader/driver/load_later.h"
#include "loader/driver/record.h"
#include "loader/driver/rest.h"

#include <stdlib.h>
#include <string.h>

/* In the module's context, which is current only meanwhile. */
static cubinet_status load_in_context(struct cubinet_module *module, const struct cubinet_module *other,
                                      const struct cbn_load_request *request)
{
    const struct cbn_driver_table *cu = &module->driver->cu;
    bool pushed = false;
    cubinet_status status = CUBINET_OK;
    if (module->context.is_retained) { /* otherwise it is current */
        status = cbn_context_enter(cu, module->context.handle, &pushed);
    }
    if (status) {
        return cbn_error_context(status, "device %d (%s)", module->device->handle, module->device->name);
    }
    status = other ? cbn_load_shared(module, other, request) : cbn_load_best(module, request);
    return cbn_context_leave(cu, pushed, status);
}

static cubinet_status load_on(const cubinet_driver *driver, const struct cbn_device *device,
                              const struct cubinet_module *other, const struct cbn_load_request *request,
                              struct cubinet_module **out_module)
{
    struct cubinet_module *module = NULL;
    cubinet_status status = cbn_module_new(driver, device, request->archive, request->index, &module);
    if (status) {
        return status;
    }
    status = cbn_context_choose(&driver->cu, device, &module->context);
    if (!status) {
        status = load_in_context(module, other, request);
    }
    if (!status) {
        status = cbn_module_load_later(module, request);
    }
    if (status) {
        cbn_module_free(module);
        return status;
    }
    cbn_record_module(module, request);
    *out_module = module;
    return CUBINET_OK;
}

cubinet_status cbn_module_load_on(const cubinet_driver *driver, const struct cbn_device *device,
                                  const struct cubinet_module *other, const struct cbn_load_request *request,
                                  struct cubinet_module **out_module)
{
    struct cbn_load_request rest = *request;
    cubinet_status status = load_on(driver, device, other, request, out_module);
    if (status == CUBINET_ERROR_NO_IMAGE) {
        status = cbn_rest_find_module(status, request->module.name, &rest);
        status = status ? status : load_on(driver, device, NULL, &rest, out_module);
    }
    return status;
}

cubinet_status cubinet_module_load(const cubinet_driver *driver, const cubinet_archive *archive,
                                   const char *name, CUdevice device, const cubinet_load_options *options,
                                   cubinet_module **out_module)
{
    if (!driver || !archive || !name || !out_module) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_module_load: %s is NULL",
                         !driver    ? "driver"
                         : !archive ? "archive"
                         : !name    ? "name"
                                    : "out_module");
    }
    struct cbn_load_request request;
    const struct cbn_device *found = NULL;
    struct cbn_kept_error kept = cbn_error_keep();
    cubinet_status status = cbn_load_request_make(archive, name, options, &request);
    if (!status) {
        status = cbn_driver_find_device(driver, device, &found);
    }
    if (!status) {
        status = cbn_module_load_on(driver, found, NULL, &request, out_module);
    }
    return cbn_error_settle(&kept, status);
}

/* The devices that a program means: those it lists, or all. `out_devices` has room for `count`, or for one
 * more than there are: by then one is listed twice. */
static cubinet_status find_devices(const cubinet_driver *driver, const CUdevice *devices, size_t count,
                                   const struct cbn_device **out_devices)
{
    if (!devices && count != (size_t)driver->device_count) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "cubinet_module_load_devices: count is %zu and devices is NULL, which stands for all "
            "%d devices of this machine",
            count, driver->device_count);
    }
    for (size_t i = 0; i < count; i++) {
        cubinet_status status =
            cbn_driver_find_device(driver, devices ? devices[i] : (int)i, &out_devices[i]);
        if (status) {
            return status;
        }
        for (size_t j = 0; j < i; j++) {
            if (out_devices[j] == out_devices[i]) {
                return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                                 "cubinet_module_load_devices: device %d is listed twice",
                                 out_devices[i]->handle);
            }
        }
    }
    return CUBINET_OK;
}

/* Among the first `count` modules one whose device has the same compute capability; NULL if there is none. */
static const struct cubinet_module *find_alike(struct cubinet_module *const *modules, size_t count,
                                               const struct cbn_device *device)
{
    for (size_t i = 0; i < count; i++) {
        const struct cbn_device *other = modules[i]->device;
        if (other->compute_major == device->compute_major && other->compute_minor == device->compute_minor) {
            return modules[i];
        }
    }
    return NULL;
}

/* All or none. */
static cubinet_status load_on_all(const cubinet_driver *driver, const struct cbn_device *const *devices,
                                  size_t count, const struct cbn_load_request *request,
                                  struct cubinet_module **modules)
{
    cubinet_status status = CUBINET_OK;
    size_t loaded = 0;
    while (!status && loaded < count) {
        const struct cubinet_module *alike = find_alike(modules, loaded, devices[loaded]);
        status = cbn_module_load_on(driver, devices[loaded], alike, request, &modules[loaded]);
        loaded += !status;
    }
    while (status && loaded > 0) {
        cbn_module_free(modules[--loaded]);
    }
    return status;
}

static cubinet_status check_arguments(const cubinet_driver *driver, const cubinet_archive *archive,
                                      const char *name, size_t count, cubinet_module *const *modules)
{
    if (!driver || !archive || !name || (!modules && count > 0)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_module_load_devices: %s is NULL",
                         !driver    ? "driver"
                         : !archive ? "archive"
                         : !name    ? "name"
                                    : "out_modules");
    }
    if (count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_module_load_devices: count is 0");
    }
    return CUBINET_OK;
}

static cubinet_status load_devices(const cubinet_driver *driver, const CUdevice *devices, size_t count,
                                   struct cbn_load_request *request, cubinet_module **out_modules)
{
    size_t room = (size_t)driver->device_count + 1;
    room = count < room ? count : room;
    const struct cbn_device **found = calloc(room, sizeof(const struct cbn_device *));
    struct cubinet_module **modules = calloc(room, sizeof(struct cubinet_module *));
    cubinet_status status =
        found && modules ? find_devices(driver, devices, count, found) : cbn_error_memory();
    if (!status) {
        status = load_on_all(driver, found, count, request, modules);
    }
    if (!status) {
        memcpy(out_modules, modules, count * sizeof(*modules));
    }
    free(found);
    free(modules);
    return status;
}

cubinet_status cubinet_module_load_devices(const cubinet_driver *driver, const cubinet_archive *archive,
                                           const char *name, const CUdevice *devices, size_t count,
                                           const cubinet_load_options *options, cubinet_module **out_modules)
{
    cubinet_status status = check_arguments(driver, archive, name, count, out_modules);
    if (status) {
        return status;
    }
    struct cbn_load_request request;
    struct cbn_kept_error kept = cbn_error_keep();
    status = cbn_load_request_make(archive, name, options, &request);
    if (!status) {
        /* Which device can run what the others have, the driver tells by a function alone. */
        request.haste = CBN_HASTE_READY;
        status = load_devices(driver, devices, count, &request, out_modules);
    }
    return cbn_error_settle(&kept, status);
}
