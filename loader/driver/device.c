/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver says of a device. */
#include "loader/core/support/error.h"
#include "loader/driver/driver.h"
#include "loader/driver/errors.h"

static const struct device_number {
    unsigned int attribute;
    size_t offset; /* of a uint32_t in struct cbn_device */
} numbers[] = {
    {CBN_CU_DEVICE_MAX_THREADS_PER_BLOCK, offsetof(struct cbn_device, max_threads_per_block)},
    {CBN_CU_DEVICE_MAX_BLOCK_DIM_X, offsetof(struct cbn_device, max_block[0])},
    {CBN_CU_DEVICE_MAX_BLOCK_DIM_Y, offsetof(struct cbn_device, max_block[1])},
    {CBN_CU_DEVICE_MAX_BLOCK_DIM_Z, offsetof(struct cbn_device, max_block[2])},
    {CBN_CU_DEVICE_MAX_GRID_DIM_X, offsetof(struct cbn_device, max_grid[0])},
    {CBN_CU_DEVICE_MAX_GRID_DIM_Y, offsetof(struct cbn_device, max_grid[1])},
    {CBN_CU_DEVICE_MAX_GRID_DIM_Z, offsetof(struct cbn_device, max_grid[2])},
    {CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK, offsetof(struct cbn_device, shared_bytes)},
    {CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, offsetof(struct cbn_device, shared_optin_bytes)},
    {CBN_CU_DEVICE_WARP_SIZE, offsetof(struct cbn_device, limits.warp_size)},
    {CBN_CU_DEVICE_MULTIPROCESSOR_COUNT, offsetof(struct cbn_device, limits.multiprocessor_count)},
    {CBN_CU_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR,
     offsetof(struct cbn_device, limits.max_threads_per_multiprocessor)},
    {CBN_CU_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR,
     offsetof(struct cbn_device, limits.max_blocks_per_multiprocessor)},
    {CBN_CU_DEVICE_MAX_REGISTERS_PER_MULTIPROCESSOR,
     offsetof(struct cbn_device, limits.max_registers_per_multiprocessor)},
    {CBN_CU_DEVICE_MAX_REGISTERS_PER_BLOCK, offsetof(struct cbn_device, limits.max_registers_per_block)},
    {CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
     offsetof(struct cbn_device, limits.max_shared_bytes_per_multiprocessor)},
    {CBN_CU_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK,
     offsetof(struct cbn_device, limits.reserved_shared_bytes_per_block)},
};

static cubinet_status get_attribute(const struct cbn_driver_table *cu, CUdevice device,
                                    unsigned int attribute, int *out_value)
{
    cbn_cu_result result = cu->cuDeviceGetAttribute(out_value, attribute, device);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "cuDeviceGetAttribute(%u) of device %d", attribute, device);
    }
    return CUBINET_OK;
}

static cubinet_status read_numbers(const struct cbn_driver_table *cu, struct cbn_device *device)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        int value = 0;
        cubinet_status status = get_attribute(cu, device->handle, numbers[i].attribute, &value);
        if (status) {
            return status;
        }
        *(uint32_t *)((char *)device + numbers[i].offset) = (uint32_t)value;
    }
    return CUBINET_OK;
}

static cubinet_status read_capabilities(const struct cbn_driver_table *cu, struct cbn_device *device)
{
    int cooperative = 0;
    int clusters = 0;
    cubinet_status status =
        get_attribute(cu, device->handle, CBN_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR, &device->compute_major);
    if (!status) {
        status =
            get_attribute(cu, device->handle, CBN_CU_DEVICE_COMPUTE_CAPABILITY_MINOR, &device->compute_minor);
    }
    if (!status) {
        status = get_attribute(cu, device->handle, CBN_CU_DEVICE_COOPERATIVE_LAUNCH, &cooperative);
    }
    if (!status) {
        status = get_attribute(cu, device->handle, CBN_CU_DEVICE_CLUSTER_LAUNCH, &clusters);
    }
    device->cooperative = cooperative != 0;
    device->clusters = clusters != 0;
    return status;
}

/* The limits of the device's compute capability, or where that is not known, of the one before it: what the
 * driver does not tell changes rarely. */
static cubinet_device_limits nearest_limits(const struct cbn_device *device)
{
    cubinet_device_limits limits = {.size = sizeof(limits)};
    int own = 10 * device->compute_major + device->compute_minor;
    int nearest = cubinet_compute_number(0);
    for (size_t i = 0; i < cubinet_compute_count() && cubinet_compute_number(i) <= own; i++) {
        nearest = cubinet_compute_number(i);
    }
    cubinet_device_limits_of_compute(nearest / 10, nearest % 10, &limits); /* one that is known */
    limits.compute_major = device->compute_major;
    limits.compute_minor = device->compute_minor;
    return limits;
}

/* What follows from the numbers that the driver told. */
static void complete_limits(struct cbn_device *device)
{
    cubinet_device_limits *limits = &device->limits;
    limits->max_threads_per_block = device->max_threads_per_block;
    limits->max_warps_per_multiprocessor = limits->max_threads_per_multiprocessor / limits->warp_size;
    limits->max_shared_bytes_per_block = device->shared_bytes;
    limits->max_shared_bytes_per_block_optin = device->shared_optin_bytes;
}

cubinet_status cbn_device_read(const struct cbn_driver_table *cu, int ordinal, struct cbn_device *out_device)
{
    struct cbn_device device = {0};
    cbn_cu_result result = cu->cuDeviceGet(&device.handle, ordinal);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "cuDeviceGet(%d)", ordinal);
    }
    result = cu->cuDeviceGetName(device.name, sizeof(device.name), device.handle);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "cuDeviceGetName of device %d", ordinal);
    }
    cubinet_status status = read_capabilities(cu, &device);
    if (!status) {
        device.limits = nearest_limits(&device);
        status = read_numbers(cu, &device);
    }
    if (!status && !device.limits.warp_size) {
        status = cbn_error(CUBINET_ERROR_DRIVER, "device %d (%s): the driver reports a warp size of 0",
                           ordinal, device.name);
    }
    if (!status) {
        complete_limits(&device);
        *out_device = device;
    }
    return status;
}

cubinet_device_profile cbn_device_profile(const cubinet_driver *driver, const struct cbn_device *device)
{
    /* CU_DEVICE_ATTRIBUTE_INTEGRATED does not tell Tegra parts: it is also 1 for a GB10 (12.1), which runs
     * the cubins of its desktop family. */
    return (cubinet_device_profile){
        .size = sizeof(cubinet_device_profile),
        .compute_major = device->compute_major,
        .compute_minor = device->compute_minor,
        .flags =
            cubinet_compute_is_tegra(device->compute_major, device->compute_minor) ? CUBINET_DEVICE_TEGRA : 0,
        .driver_version = (uint32_t)driver->version,
    };
}

cubinet_status cbn_driver_find_device(const cubinet_driver *driver, int ordinal,
                                      const struct cbn_device **out_device)
{
    if (ordinal < 0 || ordinal >= driver->device_count) {
        return cbn_error(CUBINET_ERROR_NO_DEVICE,
                         "there is no device %d: this machine has %d, numbered from 0", ordinal,
                         driver->device_count);
    }
    *out_device = &driver->devices[ordinal];
    return CUBINET_OK;
}
