/* SPDX-License-Identifier: Apache-2.0 */
/* The driver as a whole and its devices. */
#include "sim.h"

#include <stdio.h>

cbn_cu_result sim_cuInit(unsigned int flags)
{
    if (flags) {
        return CBN_CU_INVALID_VALUE;
    }
    if (sim.device_count == 0) {
        return CBN_CU_NO_DEVICE;
    }
    sim.is_initialised = true;
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuDriverGetVersion(int *version)
{
    *version = sim.version;
    return CBN_CU_SUCCESS;
}

static const struct result_words {
    cbn_cu_result result;
    const char *name;
    const char *text;
} results[] = {
    {CBN_CU_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CBN_CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CBN_CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CBN_CU_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CBN_CU_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {CBN_CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CBN_CU_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CBN_CU_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CBN_CU_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CBN_CU_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CBN_CU_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CBN_CU_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {CBN_CU_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CBN_CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CBN_CU_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CBN_CU_CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {CBN_CU_INVALID_CLUSTER_SIZE, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration"},
    {CBN_CU_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static const struct result_words *find_words(cbn_cu_result result)
{
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        if (results[i].result == result) {
            return &results[i];
        }
    }
    return NULL;
}

cbn_cu_result sim_cuGetErrorName(cbn_cu_result error, const char **text)
{
    const struct result_words *words = find_words(error);
    *text = words ? words->name : NULL;
    return words ? CBN_CU_SUCCESS : CBN_CU_INVALID_VALUE;
}

cbn_cu_result sim_cuGetErrorString(cbn_cu_result error, const char **text)
{
    const struct result_words *words = find_words(error);
    *text = words ? words->text : NULL;
    return words ? CBN_CU_SUCCESS : CBN_CU_INVALID_VALUE;
}

cbn_cu_result sim_cuDeviceGetCount(int *count)
{
    *count = sim.device_count;
    return CBN_CU_SUCCESS;
}

static bool is_device(CUdevice device)
{
    return device >= 0 && device < sim.device_count;
}

cbn_cu_result sim_cuDeviceGet(CUdevice *device, int ordinal)
{
    if (!is_device(ordinal)) {
        return CBN_CU_INVALID_DEVICE;
    }
    *device = ordinal;
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuDeviceGetName(char *name, int capacity, CUdevice device)
{
    if (!is_device(device)) {
        return CBN_CU_INVALID_DEVICE;
    }
    snprintf(name, (size_t)capacity, "%s", sim.devices[device].name);
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuDeviceGetAttribute(int *value, unsigned int attribute, CUdevice device)
{
    if (!is_device(device)) {
        return CBN_CU_INVALID_DEVICE;
    }
    if (attribute >= SIM_MAX_ATTRIBUTES) {
        return CBN_CU_INVALID_VALUE;
    }
    *value = sim.devices[device].attributes[attribute];
    return CBN_CU_SUCCESS;
}
