/* SPDX-License-Identifier: Apache-2.0 */
/* From an archive to functions on the simulated driver: open, select, load each module for each device, get
 * each kernel's function. Nothing may stay alive.
 *
 * Nothing is launched: a launch hands over as many arguments as the archive records, and a forged record of a
 * sound image is for signatures and `cubinet verify` to find. */
#include "harness.h"
#include "seal.h"
#include "simdriver.h"

#include <cubinet/tuning.h>

enum { DEVICES = 3 };

static cubinet_driver *start(void)
{
    /* Linking is for nvJitLink, which is not ours to fuzz. */
    setenv("CUBINET_NVJITLINK", "/nonexistent/libnvJitLink.so.13", 1);
    /* By its name alone: this program is linked with it, wherever both are. */
    const cubinet_driver_options options = {.size = sizeof(options),
                                            .library = strrchr(SIMCUDA_PATH, '/') + 1};
    cubinet_driver *driver = NULL;
    simdriver_reset();
    simdriver_set_version(13040); /* which has a compiler of Tile IR */
    if (!simdriver_set_devices("9.0,8.7t,12.0") || cubinet_driver_open(&options, &driver) != CUBINET_OK) {
        abort();
    }
    return driver;
}

static void get_functions(const cubinet_archive *archive, uint32_t module, cubinet_module *loaded)
{
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_kernel_info kernel = {.size = sizeof(kernel)};
    if (cubinet_archive_get_module(archive, module, &info) != CUBINET_OK) {
        abort(); /* it was loaded */
    }
    for (uint32_t i = 0; i < info.kernel_count; i++) {
        cubinet_kernel *found = NULL;
        if (cubinet_archive_get_kernel(archive, module, i, &kernel) != CUBINET_OK) {
            abort();
        }
        CUfunction function = NULL;
        if (cubinet_module_find_kernel(loaded, kernel.name, &found) == CUBINET_OK) {
            cubinet_kernel_get_function(found, &function);
        }
    }
}

/* What was tuned, for the extents that were measured and some near them. */
static void get_tuned(const cubinet_archive *archive, uint32_t module, cubinet_module *loaded)
{
    uint32_t count = 0;
    if (cubinet_archive_get_tuning_count(archive, module, &count) != CUBINET_OK) {
        abort(); /* it was loaded */
    }
    for (uint32_t i = 0; i < count; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning)};
        cubinet_launch_config config = {.size = sizeof(config)};
        cubinet_kernel *kernel = NULL;
        if (cubinet_archive_get_tuning(archive, module, i, &tuning) != CUBINET_OK) {
            abort();
        }
        for (uint64_t near = 0; near < 2; near++) {
            const uint64_t extent[3] = {tuning.extent[0] + near, tuning.extent[1], tuning.extent[2]};
            cubinet_module_get_tuned(loaded, tuning.what, extent, NULL, &kernel, &config, NULL);
        }
    }
}

static void load_all(cubinet_driver *driver, const cubinet_archive *archive)
{
    const cubinet_load_options options = {.size = sizeof(options), .flags = CUBINET_LOAD_NO_CACHE};
    uint32_t count = cubinet_archive_get_module_count(archive);
    for (uint32_t i = 0; i < count; i++) {
        cubinet_module_info info = {.size = sizeof(info)};
        if (cubinet_archive_get_module(archive, i, &info) != CUBINET_OK) {
            continue;
        }
        for (CUdevice device = 0; device < DEVICES; device++) {
            cubinet_module *module = NULL;
            if (cubinet_module_load(driver, archive, info.name, device, &options, &module) == CUBINET_OK) {
                get_tuned(archive, i, module);
                get_functions(archive, i, module);
            }
            cubinet_module_unload(module);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cubinet_driver *driver;
    if (!driver) {
        driver = start();
    }
    /* Larger images than a megabyte would be all that the time goes to. */
    const cubinet_archive_options options = {.size = sizeof(options), .max_image_size = 1 << 20};
    unsigned char *bytes = harness_copy(data, size);
    cubinet_archive *archive = NULL;
    seal(bytes, size);
    if (cubinet_archive_open_memory(bytes, size, &options, &archive) == CUBINET_OK) {
        load_all(driver, archive);
    }
    cubinet_archive_close(archive);
    free(bytes);
    if (simdriver_live_libraries() != 0 || simdriver_retained_contexts() != 0 || simdriver_misuses() != 0) {
        abort();
    }
    return 0;
}
