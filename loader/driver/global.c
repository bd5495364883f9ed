/* SPDX-License-Identifier: Apache-2.0 */
/* Global variables of a loaded module. */
#include "loader/core/support/error.h"
#include "loader/driver/errors.h"
#include "loader/driver/record.h"
#include "loader/driver/rest_module.h"

/* The module's context must be current. */
static cubinet_status get_address(const cubinet_module *module, const cubinet_global_info *global,
                                  CUdeviceptr *out_address, size_t *out_bytes)
{
    const struct cbn_driver_table *cu = &module->driver->cu;
    CUlibrary library = module->code->library;
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

/* A variable that the loaded image lacks, in what a slice left out. The message says that it is not found. */
static cubinet_status find_elsewhere(const cubinet_module *module, const char *name, CUdeviceptr *out_address,
                                     size_t *out_bytes)
{
    struct cubinet_module *rest = NULL;
    struct cbn_kept_error kept = cbn_error_keep();
    /* Programs see modules that never change: what is loaded beside one is not part of that. */
    cubinet_status status = cbn_rest_of_module((struct cubinet_module *)module, &rest);
    cbn_error_put_back(&kept);
    return !status && rest ? cubinet_module_find_global(rest, name, out_address, out_bytes)
                           : CUBINET_ERROR_NOT_FOUND;
}

cubinet_status cubinet_module_find_global(const cubinet_module *module, const char *expression_or_name,
                                          CUdeviceptr *out_address, size_t *out_bytes)
{
    if (!module || !expression_or_name) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_module_find_global: %s is NULL",
                         !module ? "module" : "expression_or_name");
    }
    uint32_t index = 0;
    cubinet_status status =
        cubinet_archive_find_global(module->archive, module->index, expression_or_name, &index);
    cubinet_global_info info = {.size = sizeof(info)};
    if (!status) {
        status = cubinet_archive_get_global(module->archive, module->index, index, &info);
    }
    bool pushed = false;
    if (!status) {
        status = cbn_context_enter(&module->driver->cu, module->context.handle, &pushed);
    }
    if (status) {
        return status;
    }
    CUdeviceptr address = 0;
    size_t bytes = 0;
    status = get_address(module, &info, &address, &bytes);
    status = cbn_context_leave(&module->driver->cu, pushed, status);
    if (status == CUBINET_ERROR_NOT_FOUND) {
        return find_elsewhere(module, info.name, out_address, out_bytes);
    }
    if (!status) {
        cbn_record_global(module, info.name);
    }
    if (!status && out_address) {
        *out_address = address;
    }
    if (!status && out_bytes) {
        *out_bytes = bytes;
    }
    return status;
}
