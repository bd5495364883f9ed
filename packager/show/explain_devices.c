/* SPDX-License-Identifier: Apache-2.0 */
#include "show/explain_devices.h"

#include "loader/core/support/error.h"
#include "show/gpus.h"

#include <cubinet/driver.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct explain_device *grow(struct explain_devices *devices)
{
    struct explain_device *larger =
        reallocarray(devices->devices, devices->count + 1, sizeof(*devices->devices));
    if (!larger) {
        cbn_error_memory();
        return NULL;
    }
    devices->devices = larger;
    struct explain_device *device = &larger[devices->count++];
    *device = (struct explain_device){.profile = {.size = sizeof(device->profile)}};
    return device;
}

/* name: the GPU's; NULL for one that has this capability */
static cubinet_status add_compute(struct explain_devices *devices, int compute, const char *name)
{
    struct explain_device *device = grow(devices);
    if (!device) {
        return CUBINET_ERROR_OUT_OF_MEMORY;
    }
    cubinet_device_profile *profile = &device->profile;
    profile->compute_major = compute / 10;
    profile->compute_minor = compute % 10;
    profile->flags =
        cubinet_compute_is_tegra(profile->compute_major, profile->compute_minor) ? CUBINET_DEVICE_TEGRA : 0;
    const char *example = name ? name : gpu_example(compute);
    snprintf(device->label, sizeof(device->label), "%d.%d%s%s%s", profile->compute_major,
             profile->compute_minor, example ? " (" : "", example ? example : "", example ? ")" : "");
    return CUBINET_OK;
}

/* Every capability that a GPU in the list has, ascending. */
static cubinet_status add_all(struct explain_devices *devices)
{
    cubinet_status status = CUBINET_OK;
    int last = 0;
    for (size_t i = gpu_count; !status && i > 0; i--) {
        if (gpus[i - 1].compute != last) {
            last = gpus[i - 1].compute;
            status = add_compute(devices, last, NULL);
        }
    }
    return status;
}

cubinet_status explain_devices_add(struct explain_devices *devices, const char *word)
{
    if (strcmp(word, "all") == 0) {
        return add_all(devices);
    }
    int compute;
    const char *name;
    cubinet_status status = gpu_find(word, &compute, &name);
    return status ? status : add_compute(devices, compute, name);
}

static cubinet_status add_present(struct explain_devices *devices, const cubinet_driver *driver, int number)
{
    struct explain_device *device = grow(devices);
    if (!device) {
        return CUBINET_ERROR_OUT_OF_MEMORY;
    }
    cubinet_status status = cubinet_driver_get_profile(driver, number, &device->profile);
    snprintf(device->label, sizeof(device->label), "%d.%d (device %d)", device->profile.compute_major,
             device->profile.compute_minor, number);
    return status;
}

cubinet_status explain_devices_add_machine(struct explain_devices *devices)
{
    cubinet_driver *driver;
    cubinet_status status = cubinet_driver_open(NULL, &driver);
    if (status) {
        return status;
    }
    int count = cubinet_driver_get_device_count(driver);
    for (int i = 0; !status && i < count; i++) {
        status = add_present(devices, driver, i);
    }
    cubinet_driver_close(driver);
    return status;
}

void explain_devices_free(struct explain_devices *devices)
{
    free(devices->devices);
    *devices = (struct explain_devices){0};
}
