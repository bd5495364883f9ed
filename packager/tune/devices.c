/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/devices.h"

#include "loader/core/support/error.h"
#include "process/supervise.h"

#include <cubinet/driver.h>

#include <string.h>

static cubinet_status read_device(const cubinet_driver *driver, int number, struct tune_device *device)
{
    cubinet_device_limits limits = {.size = sizeof(limits)};
    void *function = NULL;
    unsigned (*get_name)(char *name, int length, CUdevice device) = NULL;
    cubinet_status status = cubinet_driver_get_limits(driver, number, &limits);
    if (!status) {
        status = cubinet_driver_get_proc_address(driver, "cuDeviceGetName", &function);
    }
    if (status) {
        return status;
    }
    memcpy(&get_name, &function, sizeof(get_name));
    if (get_name(device->name, sizeof(device->name), number) != 0) {
        return cbn_error(CUBINET_ERROR_DRIVER, "device %d has no name", number);
    }
    device->number = number;
    device->compute = (uint32_t)(10 * limits.compute_major + limits.compute_minor);
    device->multiprocessors = limits.multiprocessor_count;
    return CUBINET_OK;
}

static void find_groups(struct tune_devices *devices)
{
    for (uint32_t i = 0; i < devices->count; i++) {
        struct tune_device *device = &devices->items[i];
        device->group = i;
        for (uint32_t j = 0; j < i && device->group == i; j++) {
            const struct tune_device *other = &devices->items[j];
            if (strcmp(other->name, device->name) == 0 && other->compute == device->compute &&
                other->multiprocessors == device->multiprocessors) {
                device->group = other->group;
            }
        }
    }
}

static cubinet_status probe(const void *input, void *out_result)
{
    int wanted = *(const int *)input;
    const cubinet_driver_options options = {.size = sizeof(options), .record = ""};
    cubinet_driver *driver = NULL;
    struct tune_devices *devices = out_result;
    cubinet_status status = cubinet_driver_open(&options, &driver);
    if (status) {
        return status;
    }
    int count = cubinet_driver_get_device_count(driver);
    int first = wanted < 0 ? 0 : wanted;
    int last = wanted < 0 ? count - 1 : wanted;
    for (int i = first; !status && i <= last && devices->count < MOST_DEVICES; i++) {
        status = read_device(driver, i, &devices->items[devices->count]);
        devices->count += !status;
    }
    cubinet_driver_close(driver);
    find_groups(devices);
    return status;
}

cubinet_status devices_find(int number, struct tune_devices *out_devices)
{
    memset(out_devices, 0, sizeof(*out_devices));
    return supervise_call(NULL, "the GPUs", probe, &number, out_devices, sizeof(*out_devices));
}
