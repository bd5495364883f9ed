/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/opt_in.h"

#include "loader/core/support/error.h"
#include "loader/driver/errors.h"

enum {
    /* Blocks in a cluster that every device with clusters has (CUDA Programming Guide, thread block
       clusters). */
    PORTABLE_CLUSTER = 8,
};

cubinet_status cbn_kernel_set_attribute(const cubinet_kernel *kernel, unsigned int attribute, int value,
                                        const char *what)
{
    const struct cubinet_module *module = kernel->module;
    const struct cbn_driver_table *cu = &module->driver->cu;
    cbn_cu_result result =
        cu->cuKernelSetAttribute(attribute, value, cbn_kernel_handle(kernel), module->device->handle);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "cuKernelSetAttribute(%s, %d) of '%s'", what, value,
                                 cbn_kernel_expression(kernel));
    }
    return CUBINET_OK;
}

cubinet_status cbn_kernel_static_shared(const cubinet_kernel *kernel, uint32_t *out_bytes)
{
    uint32_t bytes = atomic_load_explicit(&kernel->state->static_shared, memory_order_relaxed);
    if (bytes == CUBINET_UNKNOWN) {
        const struct cubinet_module *module = kernel->module;
        const struct cbn_driver_table *cu = &module->driver->cu;
        int value = 0;
        cbn_cu_result result = cu->cuKernelGetAttribute(&value, CBN_CU_FUNC_SHARED_SIZE_BYTES,
                                                        cbn_kernel_handle(kernel), module->device->handle);
        if (result != CBN_CU_SUCCESS) {
            return cbn_driver_failed(cu, result, "cuKernelGetAttribute(SHARED_SIZE_BYTES) of '%s'",
                                     cbn_kernel_expression(kernel));
        }
        bytes = (uint32_t)value;
        atomic_store_explicit(&kernel->state->static_shared, bytes, memory_order_relaxed);
    }
    *out_bytes = bytes;
    return CUBINET_OK;
}

static cubinet_status raise_dynamic_shared(const cubinet_kernel *kernel, uint32_t bytes)
{
    struct cbn_kernel_state *state = kernel->state;
    if (bytes <= atomic_load_explicit(&state->dynamic_shared, memory_order_acquire)) {
        return CUBINET_OK;
    }
    cubinet_status status = CUBINET_OK;
    pthread_mutex_lock(&kernel->module->mutex);
    if (bytes > atomic_load_explicit(&state->dynamic_shared, memory_order_relaxed)) {
        status = cbn_kernel_set_attribute(kernel, CBN_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes,
                                          "MAX_DYNAMIC_SHARED_SIZE_BYTES");
        if (!status) {
            atomic_store_explicit(&state->dynamic_shared, bytes, memory_order_release);
        }
    }
    pthread_mutex_unlock(&kernel->module->mutex);
    return status;
}

cubinet_status cbn_allow_dynamic_shared(const cubinet_kernel *kernel, uint32_t bytes)
{
    const struct cbn_device *device = kernel->module->device;
    uint32_t fixed = 0;
    cubinet_status status = bytes > 0 ? cbn_kernel_static_shared(kernel, &fixed) : CUBINET_OK;
    if (status) {
        return status;
    }
    uint64_t total = (uint64_t)fixed + bytes;
    if (total > device->shared_optin_bytes) {
        return cbn_error(
            CUBINET_ERROR_LIMIT,
            "kernel '%s' needs %llu bytes of shared memory for each block (%u static, %u dynamic); "
            "device %d (%s) has %u",
            cbn_kernel_expression(kernel), (unsigned long long)total, fixed, bytes, device->handle,
            device->name, device->shared_optin_bytes);
    }
    return bytes > 0 && total > device->shared_bytes ? raise_dynamic_shared(kernel, bytes) : CUBINET_OK;
}

cubinet_status cbn_allow_all_dynamic_shared(const cubinet_kernel *kernel)
{
    const struct cbn_device *device = kernel->module->device;
    uint32_t fixed = 0;
    cubinet_status status = cbn_kernel_static_shared(kernel, &fixed);
    if (status || fixed >= device->shared_optin_bytes) {
        return status;
    }
    return cbn_allow_dynamic_shared(kernel, device->shared_optin_bytes - fixed);
}

static cubinet_status allow_large_clusters(const cubinet_kernel *kernel)
{
    struct cbn_kernel_state *state = kernel->state;
    if (atomic_load_explicit(&state->large_clusters, memory_order_acquire)) {
        return CUBINET_OK;
    }
    cubinet_status status = cbn_kernel_set_attribute(kernel, CBN_CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1,
                                                     "NON_PORTABLE_CLUSTER_SIZE_ALLOWED");
    if (!status) {
        atomic_store_explicit(&state->large_clusters, true, memory_order_release);
    }
    return status;
}

cubinet_status cbn_allow_cluster(const cubinet_kernel *kernel, uint64_t blocks)
{
    return blocks > PORTABLE_CLUSTER ? allow_large_clusters(kernel) : CUBINET_OK;
}
