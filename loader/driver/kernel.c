/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of kernels, and what the driver has of them. */
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"
#include "loader/driver/errors.h"
#include "loader/driver/record.h"

static cubinet_status missing_argument(const char *function, const char *argument)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function, argument);
}

static cubinet_kernel_info kernel_info(const cubinet_kernel *kernel)
{
    /* The module was checked when it was loaded, so this can't fail. */
    cubinet_kernel_info info = {.size = sizeof(info)};
    cubinet_archive_get_kernel(kernel->module->archive, kernel->module->index, kernel->index, &info);
    return info;
}

const char *cbn_kernel_name(const cubinet_kernel *kernel)
{
    return kernel_info(kernel).name;
}

const char *cbn_kernel_expression(const cubinet_kernel *kernel)
{
    return kernel_info(kernel).expression;
}

cbn_cu_result cbn_kernel_look_up(const cubinet_kernel *kernel)
{
    /* Two threads may both ask the driver: it gives both the same. */
    const struct cubinet_module *module = kernel->module;
    CUkernel handle = cbn_kernel_handle(kernel);
    if (handle) {
        return CBN_CU_SUCCESS;
    }
    CUlibrary library = module->code->parts[kernel->record.part].library;
    cbn_cu_result result = module->driver->cu.cuLibraryGetKernel(&handle, library, cbn_kernel_name(kernel));
    if (result == CBN_CU_SUCCESS) {
        atomic_store_explicit(&kernel->state->handle, handle, memory_order_release);
    }
    return result;
}

CUkernel cubinet_kernel_get_handle(const cubinet_kernel *kernel)
{
    if (!kernel) {
        return NULL;
    }
    cbn_record_kernel(kernel, CBN_KERNEL_LAUNCHED);
    return cbn_kernel_handle(kernel);
}

CUlibrary cubinet_kernel_get_library(const cubinet_kernel *kernel)
{
    return kernel ? kernel->module->code->parts[kernel->record.part].library : NULL;
}

/* Places the code on the device. A stream that is captured meanwhile does not mind, but has to be told. */
static cbn_cu_result make_function(const struct cbn_driver_table *cu, const cubinet_kernel *kernel,
                                   CUfunction *out_function)
{
    unsigned int mode = CBN_CU_CAPTURE_RELAXED;
    cbn_cu_result result = cu->cuThreadExchangeStreamCaptureMode(&mode);
    if (result == CBN_CU_SUCCESS) {
        result = cu->cuKernelGetFunction(out_function, cbn_kernel_handle(kernel));
        cbn_cu_result restored = cu->cuThreadExchangeStreamCaptureMode(&mode);
        result = result != CBN_CU_SUCCESS ? result : restored;
    }
    return result;
}

cubinet_status cbn_kernel_function(const cubinet_kernel *kernel, CUfunction *out_function)
{
    /* Two threads may both ask the driver: it gives both the same. */
    CUfunction function = atomic_load_explicit(&kernel->state->function, memory_order_acquire);
    if (!function) {
        const struct cbn_driver_table *cu = &kernel->module->driver->cu;
        cbn_cu_result result = make_function(cu, kernel, &function);
        if (result != CBN_CU_SUCCESS) {
            return cbn_driver_failed(cu, result, "cuKernelGetFunction of '%s'",
                                     cbn_kernel_expression(kernel));
        }
        atomic_store_explicit(&kernel->state->function, function, memory_order_release);
    }
    *out_function = function;
    return CUBINET_OK;
}

cubinet_status cubinet_kernel_get_function(const cubinet_kernel *kernel, CUfunction *out_function)
{
    if (!kernel || !out_function) {
        return missing_argument("cubinet_kernel_get_function", !kernel ? "kernel" : "out_function");
    }
    cbn_record_kernel(kernel, CBN_KERNEL_LAUNCHED);
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    CUfunction function = atomic_load_explicit(&kernel->state->function, memory_order_acquire);
    if (function) {
        *out_function = function;
        return CUBINET_OK;
    }
    bool pushed = false;
    cubinet_status status = cbn_context_enter(cu, kernel->module->context.handle, &pushed);
    if (status) {
        return status;
    }
    status = cbn_context_leave(cu, pushed, cbn_kernel_function(kernel, &function));
    if (!status) {
        *out_function = function;
    }
    return status;
}

cubinet_status cubinet_kernel_get_info(const cubinet_kernel *kernel, cubinet_kernel_info *out_info)
{
    if (!kernel) {
        return missing_argument("cubinet_kernel_get_info", "kernel");
    }
    cubinet_kernel_info info = kernel_info(kernel);
    return cbn_sized_write(out_info, "cubinet_kernel_info", &info, sizeof(info));
}

cubinet_status cubinet_kernel_get_resources(const cubinet_kernel *kernel,
                                            cubinet_kernel_resources *out_resources)
{
    if (!kernel) {
        return missing_argument("cubinet_kernel_get_resources", "kernel");
    }
    return cbn_sized_write(out_resources, "cubinet_kernel_resources", &kernel->record.resources,
                           sizeof(kernel->record.resources));
}

cubinet_status cubinet_kernel_get_launch_record(const cubinet_kernel *kernel,
                                                cubinet_launch_record *out_record)
{
    if (!kernel) {
        return missing_argument("cubinet_kernel_get_launch_record", "kernel");
    }
    cubinet_launch_record record = kernel->record.launch;
    record.flags |= kernel->dependency;
    record.flags |= kernel->uses_dynamic_shared ? CUBINET_RECORD_TAKES_DYNAMIC_SHARED : 0U;
    return cbn_sized_write(out_record, "cubinet_launch_record", &record, sizeof(record));
}
