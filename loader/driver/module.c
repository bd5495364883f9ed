/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and unloading modules. */
#include "loader/driver/module.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/driver/errors.h"
#include "loader/driver/load.h"
#include "loader/driver/load_image.h"

#include <stdlib.h>
#include <string.h>

static cubinet_status make_kernels(struct cubinet_module *module, uint32_t kernel_count)
{
    /* At least one: calloc() may answer 0 with NULL. */
    size_t count = kernel_count ? kernel_count : 1;
    struct cubinet_kernel *kernels = calloc(count, sizeof(*kernels));
    struct cbn_kernel_state *states = calloc(count, sizeof(*states));
    if (!kernels || !states) {
        free(kernels);
        free(states);
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < kernel_count; i++) {
        kernels[i].module = module;
        kernels[i].index = i;
        kernels[i].state = &states[i];
    }
    free(module->kernels);
    free(module->states);
    module->kernels = kernels;
    module->states = states;
    module->kernel_count = kernel_count;
    return CUBINET_OK;
}

cubinet_status cbn_module_take(struct cubinet_module *module, const cubinet_archive *archive, uint32_t index)
{
    if (module->archive == archive && module->index == index) {
        return CUBINET_OK;
    }
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(archive, index, &info);
    if (!status) {
        status = make_kernels(module, info.kernel_count);
    }
    if (status) {
        return status;
    }
    cbn_archive_release(module->archive);
    module->archive = cbn_archive_retain(archive);
    module->index = index;
    return CUBINET_OK;
}

cbn_cu_result cbn_module_free(struct cubinet_module *module)
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
                                 const struct cbn_load_request *request, struct cubinet_module **out_module)
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
    cubinet_status status = cbn_module_take(module, request->archive, request->index);
    if (status) {
        cbn_module_free(module);
        return status;
    }
    *out_module = module;
    return CUBINET_OK;
}

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

cubinet_status cbn_module_load_on(const cubinet_driver *driver, const struct cbn_device *device,
                                  const struct cubinet_module *other, const struct cbn_load_request *request,
                                  struct cubinet_module **out_module)
{
    struct cubinet_module *module = NULL;
    cubinet_status status = module_new(driver, device, request, &module);
    if (status) {
        return status;
    }
    status = cbn_context_choose(&driver->cu, device, &module->context);
    if (!status) {
        status = load_in_context(module, other, request);
    }
    if (status) {
        cbn_module_free(module);
        return status;
    }
    *out_module = module;
    return CUBINET_OK;
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
    struct cbn_load_request request;
    const struct cbn_device *found = NULL;
    cubinet_status status = cbn_load_request_make(archive, name, options, &request);
    if (!status) {
        status = cbn_driver_find_device(driver, device, &found);
    }
    return status ? status : cbn_module_load_on(driver, found, NULL, &request, out_module);
}

cubinet_status cubinet_module_unload(cubinet_module *module)
{
    if (!module) {
        return CUBINET_OK;
    }
    const struct cbn_driver_table *cu = &module->driver->cu;
    cbn_cu_result result = cbn_module_free(module);
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
    return module ? module->code->library : NULL;
}
