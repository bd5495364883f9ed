/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/load_image.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/tileir.h"
#include "loader/core/support/error.h"
#include "loader/driver/look_at_code.h"

/* Reads what the archive records of every kernel in that image, and forgets those of one that was tried
 * before. */
static void record_kernels(struct cubinet_module *module, uint32_t image)
{
    /* Which was checked when it was chosen, so this can't fail. */
    cubinet_image_info info = {.size = sizeof(info)};
    cubinet_archive_get_image(module->archive, module->index, image, &info);
    bool knows_dependency = cbn_records_code(module->archive, &info);
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        struct cubinet_kernel *kernel = &module->kernels[i];
        atomic_init(&kernel->state->handle, NULL);
        atomic_init(&kernel->state->function, NULL);
        atomic_init(&kernel->state->params_checked, false);
        kernel->uses_dynamic_shared = false;
        kernel->never_waits = false;
        kernel->dependency = 0;
        kernel->is_recorded =
            cbn_archive_get_record(module->archive, module->index, image, i, &kernel->record);
        if (kernel->is_recorded) {
            uint32_t flags = kernel->record.launch.flags;
            kernel->uses_dynamic_shared = (flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED) != 0;
            kernel->dependency = flags & (CUBINET_RECORD_WAITS | CUBINET_RECORD_TRIGGERS);
            kernel->never_waits = knows_dependency && !(flags & CUBINET_RECORD_WAITS);
            atomic_init(&kernel->state->static_shared, kernel->record.resources.static_shared_bytes);
        }
    }
}

/* Whether its kernels are tile kernels. */
static bool has_tile_kernels(const struct cubinet_module *module, const cubinet_image_info *info)
{
    return info->target.kind == CUBINET_IMAGE_TILEIR ||
           (info->target.kind == CUBINET_IMAGE_CUBIN &&
            cbn_archive_has_global(module->archive, module->index, CBN_TILE_LAUNCH_DATA));
}

/* Of which nothing is loaded then. */
static cubinet_status choose(struct cubinet_module *module, uint32_t image, const cubinet_image_info *info)
{
    record_kernels(module, image);
    module->image = image;
    module->is_tiles = has_tile_kernels(module, info);
    module->is_tileir = info->target.kind == CUBINET_IMAGE_TILEIR;
    module->code = cbn_device_code_new(info->part_count);
    return module->code ? CUBINET_OK : cbn_error_memory();
}

enum cbn_attempt cbn_image_try(struct cubinet_module *module, uint32_t image, const cubinet_image_info *info,
                               enum cbn_haste haste, struct cbn_refusal *out_refusal,
                               cubinet_status *out_status)
{
    *out_status = choose(module, image, info);
    if (*out_status) {
        return CBN_ATTEMPT_FAILED;
    }
    if (haste == CBN_HASTE_NONE && info->part_count > 1 && cbn_image_is_sure(module, info)) {
        return CBN_ATTEMPT_LOADED;
    }
    enum cbn_attempt attempt = cbn_part_load(module, 0, haste == CBN_HASTE_READY, out_refusal, out_status);
    if (attempt != CBN_ATTEMPT_LOADED) {
        cbn_image_unload(module);
    }
    return attempt;
}

enum cbn_attempt cbn_image_share(struct cubinet_module *module, const struct cubinet_module *other,
                                 struct cbn_refusal *out_refusal, cubinet_status *out_status)
{
    record_kernels(module, other->image);
    module->code = cbn_device_code_share(other->code);
    module->image = other->image;
    module->is_tiles = other->is_tiles;
    module->is_tileir = other->is_tileir;
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        module->kernels[i].uses_dynamic_shared = other->kernels[i].uses_dynamic_shared;
        module->kernels[i].never_waits = other->kernels[i].never_waits;
        module->kernels[i].dependency = other->kernels[i].dependency;
        atomic_store(&module->kernels[i].state->handle, cbn_kernel_handle(&other->kernels[i]));
    }
    enum cbn_attempt attempt = cbn_part_prove(module, 0, out_refusal, out_status);
    if (attempt != CBN_ATTEMPT_LOADED) {
        cbn_image_unload(module);
    }
    return attempt;
}

cbn_cu_result cbn_image_unload(struct cubinet_module *module)
{
    struct cbn_device_code *code = module->code;
    module->code = NULL;
    return cbn_device_code_release(&module->driver->cu, code);
}
