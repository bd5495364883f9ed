/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels. */
#include "error.h"
#include "errors.h"
#include "launch_check.h"
#include "module.h"
#include "sized.h"

#include <stdlib.h>

enum {
    /* Launches with more arguments than this take memory. */
    ARGS_ON_STACK = 64,
    /* Blocks in a cluster that every device with clusters has (CUDA Programming Guide, thread block
       clusters). */
    PORTABLE_CLUSTER = 8,
};

static cubinet_status set_attribute(const cubinet_kernel *kernel, unsigned int attribute, uint32_t value,
                                    const char *what)
{
    const struct cubinet_module *module = kernel->module;
    const struct cbn_driver_table *cu = &module->driver->cu;
    cbn_cu_result result =
        cu->cuKernelSetAttribute(attribute, (int)value, kernel->handle, module->device->handle);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "cuKernelSetAttribute(%s, %u) of '%s'", what, value,
                                 cbn_kernel_expression(kernel));
    }
    return CUBINET_OK;
}

/* Static shared memory in bytes: as recorded, or for code that was compiled when it was loaded, as the driver
 * says. */
static cubinet_status static_shared(const cubinet_kernel *kernel, uint32_t *out_bytes)
{
    uint32_t bytes = atomic_load_explicit(&kernel->state->static_shared, memory_order_relaxed);
    if (bytes == CUBINET_UNKNOWN) {
        const struct cubinet_module *module = kernel->module;
        const struct cbn_driver_table *cu = &module->driver->cu;
        int value = 0;
        cbn_cu_result result = cu->cuKernelGetAttribute(&value, CBN_CU_FUNC_SHARED_SIZE_BYTES, kernel->handle,
                                                        module->device->handle);
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

/* Raises the kernel's dynamic shared memory, never lowers it: launches of several threads may ask for
 * different sizes at the same time. */
static cubinet_status raise_dynamic_shared(const cubinet_kernel *kernel, uint32_t bytes)
{
    struct cbn_kernel_state *state = kernel->state;
    if (bytes <= atomic_load_explicit(&state->dynamic_shared, memory_order_acquire)) {
        return CUBINET_OK;
    }
    cubinet_status status = CUBINET_OK;
    pthread_mutex_lock(&kernel->module->opt_in);
    if (bytes > atomic_load_explicit(&state->dynamic_shared, memory_order_relaxed)) {
        status = set_attribute(kernel, CBN_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes,
                               "MAX_DYNAMIC_SHARED_SIZE_BYTES");
        if (!status) {
            atomic_store_explicit(&state->dynamic_shared, bytes, memory_order_release);
        }
    }
    pthread_mutex_unlock(&kernel->module->opt_in);
    return status;
}

static cubinet_status allow_dynamic_shared(const cubinet_kernel *kernel, uint32_t bytes)
{
    const struct cbn_device *device = kernel->module->device;
    uint32_t fixed = 0;
    cubinet_status status = bytes > 0 ? static_shared(kernel, &fixed) : CUBINET_OK;
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

static cubinet_status allow_large_clusters(const cubinet_kernel *kernel)
{
    struct cbn_kernel_state *state = kernel->state;
    if (atomic_load_explicit(&state->large_clusters, memory_order_acquire)) {
        return CUBINET_OK;
    }
    cubinet_status status = set_attribute(kernel, CBN_CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1,
                                          "NON_PORTABLE_CLUSTER_SIZE_ALLOWED");
    if (!status) {
        atomic_store_explicit(&state->large_clusters, true, memory_order_release);
    }
    return status;
}

/* The attributes of a launch: at most one of each. */
struct attributes {
    cbn_cu_launch_attribute list[2];
    unsigned int count;
};

static void add_attributes(struct attributes *attributes, const cubinet_kernel *kernel,
                           const struct cbn_launch *launch)
{
    if (launch->cooperative) {
        cbn_cu_launch_attribute *attribute = &attributes->list[attributes->count++];
        *attribute = (cbn_cu_launch_attribute){.id = CBN_CU_LAUNCH_COOPERATIVE};
        attribute->value.cooperative = 1;
    }
    /* A cluster that the kernel was compiled for is no attribute of its launches. */
    if (launch->cluster[0] && !kernel->resources.required_cluster[0]) {
        cbn_cu_launch_attribute *attribute = &attributes->list[attributes->count++];
        *attribute = (cbn_cu_launch_attribute){.id = CBN_CU_LAUNCH_CLUSTER_DIMENSION};
        attribute->value.cluster.x = launch->cluster[0];
        attribute->value.cluster.y = launch->cluster[1];
        attribute->value.cluster.z = launch->cluster[2];
    }
}

/* The module's context must be current; the launch was checked. */
static cubinet_status submit(const cubinet_kernel *kernel, const struct cbn_launch *launch, void **params)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    CUfunction function = NULL;
    cubinet_status status = cbn_kernel_function(kernel, &function);
    if (!status) {
        status = allow_dynamic_shared(kernel, launch->dynamic_shared_bytes);
    }
    if (!status && cbn_launch_cluster_blocks(launch) > PORTABLE_CLUSTER) {
        status = allow_large_clusters(kernel);
    }
    if (status) {
        return status;
    }
    struct attributes attributes;
    attributes.count = 0;
    add_attributes(&attributes, kernel, launch);
    const cbn_cu_launch_config config = {
        .grid_x = launch->grid[0],
        .grid_y = launch->grid[1],
        .grid_z = launch->grid[2],
        .block_x = launch->block[0],
        .block_y = launch->block[1],
        .block_z = launch->block[2],
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .stream = launch->stream,
        .attributes = attributes.count ? attributes.list : NULL,
        .attribute_count = attributes.count,
    };
    cbn_cu_result result = cu->cuLaunchKernelEx(&config, function, params, NULL);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "launching kernel '%s'", cbn_kernel_expression(kernel));
    }
    return CUBINET_OK;
}

static cubinet_status launch_in_context(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                        void **params)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    bool pushed = false;
    cubinet_status status = cbn_context_enter(cu, kernel->module->context.handle, &pushed);
    if (status) {
        return status;
    }
    return cbn_context_leave(cu, pushed, submit(kernel, launch, params));
}

cubinet_status cubinet_kernel_launch(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                     const cubinet_arg *args, size_t arg_count)
{
    if (!kernel || !config) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_kernel_launch: %s is NULL",
                         !kernel ? "kernel" : "config");
    }
    cubinet_launch_config known;
    cubinet_status status = cbn_sized_read(config, "cubinet_launch_config", &known, sizeof(known));
    struct cbn_launch launch;
    if (!status) {
        status = cbn_launch_check_args(kernel, args, arg_count);
    }
    if (!status) {
        status = cbn_launch_check_config(kernel, &known, &launch);
    }
    if (status) {
        return status;
    }
    void *on_stack[ARGS_ON_STACK];
    void **params = arg_count > ARGS_ON_STACK ? malloc(arg_count * sizeof(*params)) : on_stack;
    if (!params) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < arg_count; i++) {
        params[i] = (void *)(uintptr_t)args[i].value; /* the driver only reads it */
    }
    status = launch_in_context(kernel, &launch, params);
    if (params != on_stack) {
        free(params);
    }
    return status;
}
