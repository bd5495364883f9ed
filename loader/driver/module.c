/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: made, unloaded, and what they say of themselves. */
#include "loader/driver/module.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/driver/errors.h"
#include "loader/driver/load_image.h"
#include "loader/driver/load_later.h"
#include "loader/driver/record.h"
#include "loader/driver/tuned_index.h"

#include <stdlib.h>

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
    module->image = 0;
    return CUBINET_OK;
}

static void load_later_free(struct cbn_load_later *later)
{
    if (later) {
        cbn_archive_unhold(later->archive, &later->holder);
        cbn_archive_release(later->archive);
        cbn_error_drop(&later->failure);
        free(later);
    }
}

cbn_cu_result cbn_module_free(struct cubinet_module *module)
{
    load_later_free(module->later);
    struct cubinet_module *rest = atomic_load(&module->rest);
    cbn_cu_result rest_freed = rest ? cbn_module_free(rest) : CBN_CU_SUCCESS;
    cbn_cu_result unloaded = cbn_image_unload(module);
    unloaded = unloaded != CBN_CU_SUCCESS ? unloaded : rest_freed;
    cbn_cu_result released = cbn_context_release(&module->driver->cu, module->device, &module->context);
    cbn_tuned_index_free(atomic_load(&module->tuned));
    cbn_archive_release(module->archive);
    cbn_module_record_free(module->record);
    pthread_mutex_destroy(&module->mutex);
    free(module->kernels);
    free(module->states);
    free(module);
    return unloaded != CBN_CU_SUCCESS ? unloaded : released;
}

cubinet_status cbn_module_new(const cubinet_driver *driver, const struct cbn_device *device,
                              const cubinet_archive *archive, uint32_t index,
                              struct cubinet_module **out_module)
{
    struct cubinet_module *module = calloc(1, sizeof(*module));
    if (!module) {
        return cbn_error_memory();
    }
    if (pthread_mutex_init(&module->mutex, NULL)) {
        free(module);
        return cbn_error_memory();
    }
    atomic_init(&module->users, 1);
    module->driver = driver;
    module->device = device;
    cubinet_status status = cbn_module_take(module, archive, index);
    if (status) {
        cbn_module_free(module);
        return status;
    }
    *out_module = module;
    return CUBINET_OK;
}

void cubinet_module_retain(cubinet_module *module)
{
    if (module) {
        atomic_fetch_add_explicit(&module->users, 1, memory_order_relaxed);
    }
}

cubinet_status cubinet_module_unload(cubinet_module *module)
{
    if (!module || atomic_fetch_sub_explicit(&module->users, 1, memory_order_acq_rel) > 1) {
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
    /* Which one it is may change meanwhile, and a mutex does. */
    struct cubinet_module *locked = (struct cubinet_module *)module;
    bool is_settled = atomic_load_explicit(&module->is_settled, memory_order_acquire);
    if (!is_settled) {
        pthread_mutex_lock(&locked->mutex);
    }
    cubinet_status status =
        cubinet_archive_get_image(module->archive, module->index, module->image, out_info);
    if (!is_settled) {
        pthread_mutex_unlock(&locked->mutex);
    }
    return status;
}

CUcontext cubinet_module_get_context(const cubinet_module *module)
{
    return module ? module->context.handle : NULL;
}

CUlibrary cubinet_module_get_library(const cubinet_module *module)
{
    bool is_settled = module && atomic_load_explicit(&module->is_settled, memory_order_acquire);
    return is_settled && module->code->part_count == 1 ? module->code->parts[0].library : NULL;
}
