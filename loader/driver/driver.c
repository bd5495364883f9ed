/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing the driver. */
#include "loader/driver/driver.h"

#include "loader/core/support/error.h"
#include "loader/core/support/log.h"
#include "loader/core/support/sized.h"
#include "loader/driver/errors.h"
#include "loader/driver/recorder.h"
#include "loader/link/linker.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static cubinet_status open_library(const char *path, struct cbn_library *out_library)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    const struct cbn_library_search search = {
        .what = "the CUDA driver (libcuda)",
        .path = path,
        .environment = "CUBINET_LIBCUDA",
        .names = names,
        /* It has threads and exit handlers of its own, and is not made to be unloaded. */
        .stays = true,
        .advice = ", so no GPU can be used here; it comes with the NVIDIA driver",
    };
    return cbn_library_open(&search, CUBINET_ERROR_NO_DRIVER, out_library);
}

/* Reports an old driver by its version rather than by the first function that it lacks. */
static cubinet_status check_version(cubinet_driver *driver)
{
    cbn_cu_result result = driver->cu.cuDriverGetVersion(&driver->version);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(&driver->cu, result, "cuDriverGetVersion of %s", driver->library.path);
    }
    if (driver->version < CBN_DRIVER_MINIMUM) {
        return cbn_error(CUBINET_ERROR_DRIVER_TOO_OLD,
                         "the driver %s is for CUDA %d.%d; CUDA %d.%d is the oldest that works: update the "
                         "NVIDIA driver to release 525 or later",
                         driver->library.path, driver->version / 1000, driver->version % 1000 / 10,
                         CBN_DRIVER_MINIMUM / 1000, CBN_DRIVER_MINIMUM % 1000 / 10);
    }
    return CUBINET_OK;
}

static cubinet_status resolve(cubinet_driver *driver)
{
    cubinet_status missing = cbn_driver_table_resolve(&driver->library, &driver->cu);
    /* These come first in the table, so a driver that lacks another function still has them. */
    if (!driver->cu.cuDriverGetVersion || !driver->cu.cuGetErrorName || !driver->cu.cuGetErrorString) {
        return cbn_error(CUBINET_ERROR_NO_DRIVER, "%s is not a CUDA driver: it has no cuDriverGetVersion",
                         driver->library.path);
    }
    cubinet_status status = check_version(driver);
    return status ? status : missing;
}

static cubinet_status read_devices(cubinet_driver *driver)
{
    cbn_cu_result result = driver->cu.cuDeviceGetCount(&driver->device_count);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(&driver->cu, result, "cuDeviceGetCount");
    }
    if (driver->device_count < 1) {
        return cbn_error(CUBINET_ERROR_NO_DEVICE, "the driver %s finds no GPU", driver->library.path);
    }
    driver->devices = calloc((size_t)driver->device_count, sizeof(*driver->devices));
    if (!driver->devices) {
        return cbn_error_memory();
    }
    for (int ordinal = 0; ordinal < driver->device_count; ordinal++) {
        cubinet_status status = cbn_device_read(&driver->cu, ordinal, &driver->devices[ordinal]);
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

/* Variables of the driver's own, which it reads when it starts: to compile, whatever machine code there is.
 */
static bool forces_jit(void)
{
    return is_set("CUDA_FORCE_JIT") || is_set("CUDA_FORCE_PTX_JIT");
}

static cubinet_status start(cubinet_driver *driver)
{
    cubinet_status status = resolve(driver);
    if (status) {
        return status;
    }
    driver->forces_jit = forces_jit();
    cbn_cu_result result = driver->cu.cuInit(0);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(&driver->cu, result, "cuInit of %s", driver->library.path);
    }
    return read_devices(driver);
}

cubinet_status cubinet_driver_open(const cubinet_driver_options *options, cubinet_driver **out_driver)
{
    cubinet_driver_options known;
    cubinet_status status = cbn_sized_read(options, "cubinet_driver_options", &known, sizeof(known));
    if (status) {
        return status;
    }
    if (!out_driver) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_driver_open: out_driver is NULL");
    }
    cubinet_driver *driver = calloc(1, sizeof(*driver));
    if (!driver) {
        return cbn_error_memory();
    }
    driver->log = known.log;
    driver->log_user = known.log_user;
    status = open_library(known.library, &driver->library);
    if (!status) {
        status = start(driver);
    }
    if (status) {
        cubinet_driver_close(driver);
        return status;
    }
    driver->recorder =
        cbn_recorder_open(known.record, (struct cbn_log){.write = known.log, .user = known.log_user});
    *out_driver = driver;
    return CUBINET_OK;
}

void cubinet_driver_close(cubinet_driver *driver)
{
    if (!driver) {
        return;
    }
    cbn_recorder_close(driver->recorder);
    cbn_library_close(&driver->library);
    free(driver->devices);
    free(driver);
}

int cubinet_driver_get_version(const cubinet_driver *driver)
{
    return driver ? driver->version : 0;
}

int cubinet_driver_get_device_count(const cubinet_driver *driver)
{
    return driver ? driver->device_count : 0;
}

/* The nvJitLink that would be looked at first, without opening it. */
static uint32_t linker_release(const cubinet_driver *driver, const struct cbn_device *device)
{
    const struct cbn_linker_need need = {
        .compute = 10 * device->compute_major + device->compute_minor,
        .driver = (uint32_t)driver->version,
    };
    const struct cbn_linker *linker = NULL;
    bool fits = false;
    struct cbn_kept_error kept = cbn_error_keep();
    cubinet_status status = cbn_linker_find(&need, &linker, &fits);
    cbn_error_put_back(&kept);
    return status ? 0 : cbn_linker_release(linker);
}

cubinet_status cubinet_driver_get_profile(const cubinet_driver *driver, CUdevice device,
                                          cubinet_device_profile *out_profile)
{
    if (!driver) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_driver_get_profile: driver is NULL");
    }
    const struct cbn_device *found = NULL;
    cubinet_status status = cbn_driver_find_device(driver, device, &found);
    if (status) {
        return status;
    }
    cubinet_device_profile profile = cbn_device_profile(driver, found);
    profile.nvjitlink_version = linker_release(driver, found);
    return cbn_sized_write(out_profile, "cubinet_device_profile", &profile, sizeof(profile));
}

cubinet_status cubinet_driver_get_limits(const cubinet_driver *driver, CUdevice device,
                                         cubinet_device_limits *out_limits)
{
    const struct cbn_device *found = NULL;
    if (!driver) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_driver_get_limits: driver is NULL");
    }
    cubinet_status status = cbn_driver_find_device(driver, device, &found);
    if (status) {
        return status;
    }
    return cbn_sized_write(out_limits, "cubinet_device_limits", &found->limits, sizeof(found->limits));
}

void cbn_driver_log(const cubinet_driver *driver, cubinet_log_level level, const char *format, ...)
{
    const struct cbn_log log = {.write = driver->log, .user = driver->log_user};
    va_list args;
    va_start(args, format);
    cbn_vlog(&log, level, format, args);
    va_end(args);
}
