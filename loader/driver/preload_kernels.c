/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/preload_kernels.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text_list.h"
#include "loader/driver/find_kernel.h"
#include "loader/driver/load_devices.h"

#include <stdlib.h>

/* In the module's context. A kernel that can't be found is one of an archive that was another when it was
 * recorded. */
static cubinet_status make_functions(struct cubinet_module *module, const struct cbn_text_list *kernels)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < kernels->count; i++) {
        cubinet_kernel *kernel = NULL;
        CUfunction function = NULL;
        struct cbn_kept_error kept = cbn_error_keep();
        cubinet_status found = cbn_module_find_kernel(module, kernels->items[i], &kernel);
        if (found == CUBINET_ERROR_NOT_FOUND) {
            cbn_error_put_back(&kept);
            continue;
        }
        cbn_error_settle(&kept, found);
        status = found ? found : cbn_kernel_function(kernel, &function);
    }
    return status;
}

cubinet_status cbn_preload_load_kernels(const struct cbn_preload_plan *plan,
                                        const struct cbn_preload_task *task, cubinet_module **out_module)
{
    const struct cbn_driver_table *cu = &plan->driver->cu;
    struct cbn_load_request request;
    struct cubinet_module *module = NULL;
    bool pushed = false;
    cubinet_status status = cbn_load_request_make(task->archive, task->name, plan->options->load, &request);
    if (!status) {
        request.is_unused = true;
        status = cbn_module_load_on(plan->driver, plan->device, NULL, &request, &module);
    }
    if (status) {
        return status;
    }
    status = cbn_context_enter(cu, module->context.handle, &pushed);
    if (!status) {
        status = cbn_context_leave(cu, pushed, make_functions(module, task->kernels));
    }
    if (status) {
        struct cbn_kept_error kept = cbn_error_keep();
        cubinet_module_unload(module);
        cbn_error_put_back(&kept);
        return status;
    }
    *out_module = module;
    return CUBINET_OK;
}
