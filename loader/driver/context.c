/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/context.h"

#include "loader/driver/errors.h"

/* The thread's current context if it is of this device; NULL if not. */
static cubinet_status current_context(const struct cbn_driver_table *cu, const struct cbn_device *device,
                                      CUcontext *out_context)
{
    CUcontext current = NULL;
    cbn_cu_result result = cu->cuCtxGetCurrent(&current);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "cuCtxGetCurrent");
    }
    if (current) {
        CUdevice of = 0;
        result = cu->cuCtxGetDevice(&of);
        if (result != CBN_CU_SUCCESS) {
            return cbn_driver_failed(cu, result, "cuCtxGetDevice");
        }
        if (of != device->handle) {
            current = NULL;
        }
    }
    *out_context = current;
    return CUBINET_OK;
}

cubinet_status cbn_context_choose(const struct cbn_driver_table *cu, const struct cbn_device *device,
                                  struct cbn_context *out_context)
{
    struct cbn_context context = {0};
    cubinet_status status = current_context(cu, device, &context.handle);
    if (status) {
        return status;
    }
    if (!context.handle) {
        cbn_cu_result result = cu->cuDevicePrimaryCtxRetain(&context.handle, device->handle);
        if (result != CBN_CU_SUCCESS) {
            return cbn_driver_failed(cu, result, "cuDevicePrimaryCtxRetain of device %d (%s)", device->handle,
                                     device->name);
        }
        context.is_retained = true;
    }
    *out_context = context;
    return CUBINET_OK;
}

cbn_cu_result cbn_context_release(const struct cbn_driver_table *cu, const struct cbn_device *device,
                                  struct cbn_context *context)
{
    bool is_retained = context->is_retained;
    *context = (struct cbn_context){0};
    return is_retained ? cu->cuDevicePrimaryCtxRelease(device->handle) : CBN_CU_SUCCESS;
}

cubinet_status cbn_context_enter(const struct cbn_driver_table *cu, CUcontext context, bool *out_pushed)
{
    CUcontext current = NULL;
    cbn_cu_result result = cu->cuCtxGetCurrent(&current);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "cuCtxGetCurrent");
    }
    bool push = current != context;
    if (push) {
        result = cu->cuCtxPushCurrent(context);
        if (result != CBN_CU_SUCCESS) {
            return cbn_driver_failed(cu, result, "cuCtxPushCurrent");
        }
    }
    *out_pushed = push;
    return CUBINET_OK;
}

cubinet_status cbn_context_leave(const struct cbn_driver_table *cu, bool pushed, cubinet_status status)
{
    CUcontext popped = NULL;
    cbn_cu_result result = pushed ? cu->cuCtxPopCurrent(&popped) : CBN_CU_SUCCESS;
    if (result != CBN_CU_SUCCESS && !status) {
        status = cbn_driver_failed(cu, result, "cuCtxPopCurrent");
    }
    return status;
}
