/* SPDX-License-Identifier: Apache-2.0 */
/* Global variables of a loaded module. */
#include "loader/core/support/error.h"
#include "loader/driver/errors.h"
#include "loader/driver/load_later.h"
#include "loader/driver/record.h"
#include "loader/driver/rest_module.h"

/* A global of a loaded part. The module's context must be current. */
static cubinet_status get_address(const cubinet_module *module, uint32_t part,
                                  const cubinet_global_info *global, CUdeviceptr *out_address,
                                  size_t *out_bytes)
{
    const struct cbn_driver_table *cu = &module->driver->cu;
    CUlibrary library = module->code->parts[part].library;
    cbn_cu_result result = global->flags & CUBINET_GLOBAL_MANAGED
                               ? cu->cuLibraryGetManaged(out_address, out_bytes, library, global->name)
                               : cu->cuLibraryGetGlobal(out_address, out_bytes, library, global->name);
    if (result == CBN_CU_SUCCESS) {
        return CUBINET_OK;
    }
    const char *call = global->flags & CUBINET_GLOBAL_MANAGED ? "cuLibraryGetManaged" : "cuLibraryGetGlobal";
    cubinet_status status = cbn_driver_failed(cu, result, "%s of '%s'", call, global->name);
    return result == CBN_CU_NOT_FOUND ? CUBINET_ERROR_NOT_FOUND : status;
}

/* Finds a global of the image that the module has chosen, and loads its part. */
static cubinet_status seek(cubinet_module *module, const char *name, cubinet_global_info *out_info,
                           uint32_t *out_part, bool *out_moved)
{
    uint32_t index = 0;
    *out_moved = false;
    *out_part = 0;
    cubinet_status status = cubinet_archive_find_global(module->archive, module->index, name, &index);
    if (!status) {
        status = cubinet_archive_get_global(module->archive, module->index, index, out_info);
    }
    if (status) {
        return status;
    }
    /* What the image lacks, the driver does not find in any part. */
    cbn_archive_find_global_part(module->archive, module->index, module->image, index, out_part);
    return cbn_module_need_part(module, *out_part, out_moved);
}

/* A variable that the loaded image lacks, in what a slice left out. The message says that it is not found. */
static cubinet_status find_elsewhere(cubinet_module *module, const char *name, CUdeviceptr *out_address,
                                     size_t *out_bytes)
{
    struct cubinet_module *rest = NULL;
    struct cbn_kept_error kept = cbn_error_keep();
    cubinet_status status = cbn_rest_of_module(module, &rest);
    cbn_error_put_back(&kept);
    if (status || !rest) {
        return CUBINET_ERROR_NOT_FOUND;
    }
    status = cubinet_module_find_global(rest, name, out_address, out_bytes);
    return status ? cbn_error_context(status, "global '%s' was sought in the rest of %s, %s", name,
                                      cbn_archive_name(module->archive), cbn_archive_name(rest->archive))
                  : CUBINET_OK;
}

static cubinet_status find_global(cubinet_module *module, const char *name, CUdeviceptr *out_address,
                                  size_t *out_bytes)
{
    cubinet_global_info info = {.size = sizeof(info)};
    uint32_t part = 0;
    bool has_moved = true;
    bool pushed = false;
    cubinet_status status = CUBINET_OK;
    while (!status && has_moved) {
        status = seek(module, name, &info, &part, &has_moved);
    }
    if (!status) {
        status = cbn_context_enter(&module->driver->cu, module->context.handle, &pushed);
    }
    if (status) {
        return status;
    }
    status = get_address(module, part, &info, out_address, out_bytes);
    status = cbn_context_leave(&module->driver->cu, pushed, status);
    if (status == CUBINET_ERROR_NOT_FOUND) {
        return find_elsewhere(module, info.name, out_address, out_bytes);
    }
    if (!status) {
        cbn_record_global(module, info.name);
    }
    return status;
}

cubinet_status cubinet_module_find_global(const cubinet_module *module, const char *expression_or_name,
                                          CUdeviceptr *out_address, size_t *out_bytes)
{
    if (!module || !expression_or_name) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_module_find_global: %s is NULL",
                         !module ? "module" : "expression_or_name");
    }
    /* To its user a module is the same before a part is loaded as after. */
    cubinet_module *used = (cubinet_module *)module;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    bool is_locked = false;
    struct cbn_kept_error kept = cbn_error_keep();
    cubinet_status status = cbn_module_enter(used, &is_locked);
    if (!status) {
        status = find_global(used, expression_or_name, &address, &bytes);
        status = cbn_module_leave(used, is_locked, status);
    }
    cbn_error_settle(&kept, status);
    if (!status && out_address) {
        *out_address = address;
    }
    if (!status && out_bytes) {
        *out_bytes = bytes;
    }
    return status;
}
