/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/clocks.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };

struct nvml_device;

static struct {
    bool is_tried;
    int (*init)(void);
    int (*find)(const char *bus, struct nvml_device **device);
    int (*clock)(struct nvml_device *device, unsigned type, unsigned *megahertz);
} nvml;

static void find_function(void *library, const char *name, void *place)
{
    void *function = dlsym(library, name);
    memcpy(place, &function, sizeof(function));
}

/* It stays open: it is made for that. */
static void open_nvml(void)
{
    void *library = nvml.is_tried ? NULL : dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    nvml.is_tried = true;
    if (!library) {
        return;
    }
    find_function(library, "nvmlInit_v2", &nvml.init);
    find_function(library, "nvmlDeviceGetHandleByPciBusId_v2", &nvml.find);
    find_function(library, "nvmlDeviceGetClockInfo", &nvml.clock);
    if (!nvml.init || !nvml.find || !nvml.clock || nvml.init() != 0) {
        nvml.find = NULL;
    }
}

static bool find_bus(const cubinet_driver *driver, CUdevice device, char bus[64])
{
    void *function = NULL;
    unsigned (*get)(char *text, int length, CUdevice device) = NULL;
    if (cubinet_driver_get_proc_address(driver, "cuDeviceGetPCIBusId", &function)) {
        return false;
    }
    memcpy(&get, &function, sizeof(get));
    return get(bus, 64, device) == 0;
}

struct clocks clocks_now(const cubinet_driver *driver, CUdevice device)
{
    struct clocks clocks = {0};
    struct nvml_device *found = NULL;
    unsigned megahertz = 0;
    char bus[64];
    open_nvml();
    if (!nvml.find || !find_bus(driver, device, bus) || nvml.find(bus, &found) != 0) {
        return clocks;
    }
    if (nvml.clock(found, CLOCK_SM, &megahertz) == 0) {
        clocks.multiprocessors = megahertz;
    }
    if (nvml.clock(found, CLOCK_MEMORY, &megahertz) == 0) {
        clocks.memory = megahertz;
    }
    return clocks;
}
