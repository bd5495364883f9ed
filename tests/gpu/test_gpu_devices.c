/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a module for every GPU of the machine with one call, as cubins and as PTX: GPUs of one compute
 * capability share the code, each computes, and they are unloaded in either order. Says most where there are
 * several GPUs. */
#include "target_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16 };

static struct gpu_calls calls;

static double milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void expect_computes(cubinet_module *module)
{
    cubinet_kernel *kernel = NULL;
    CUcontext popped = NULL;
    CUdeviceptr memory = 0;
    bool right = false;
    unsigned int factor = TARGET_CHECK_FACTOR;
    unsigned int count = TARGET_CHECK_COUNT;
    const cubinet_launch_config config = {
        .size = sizeof(config),
        .grid = {(TARGET_CHECK_COUNT + TARGET_CHECK_BLOCK - 1) / TARGET_CHECK_BLOCK},
        .block = {TARGET_CHECK_BLOCK},
    };
    GPU_OK(cubinet_module_find_kernel(module, TARGET_CHECK_KERNEL, &kernel));
    GPU_DRIVER(calls.cuCtxPushCurrent(cubinet_module_get_context(module)));
    GPU_DRIVER(target_check_prepare(&calls, &memory));
    const cubinet_arg args[] = {CUBINET_ARG(memory), CUBINET_ARG(factor), CUBINET_ARG(count)};
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, 3));
    GPU_DRIVER(target_check_finish(&calls, memory, &right));
    GPU_TRUE(right);
    GPU_DRIVER(calls.cuCtxPopCurrent(&popped));
}

static void expect_shared(cubinet_driver *driver, cubinet_module *const *modules, int count)
{
    for (int i = 1; i < count; i++) {
        for (int j = 0; j < i; j++) {
            cubinet_device_profile one = {.size = sizeof(one)};
            cubinet_device_profile other = {.size = sizeof(other)};
            GPU_OK(cubinet_driver_get_profile(driver, i, &one));
            GPU_OK(cubinet_driver_get_profile(driver, j, &other));
            bool alike = one.compute_major == other.compute_major && one.compute_minor == other.compute_minor;
            GPU_TRUE(alike ==
                     (cubinet_module_get_library(modules[i]) == cubinet_module_get_library(modules[j])));
        }
    }
}

static void load_use_unload(cubinet_driver *driver, const cubinet_archive *archive,
                            const cubinet_load_options *options, bool backwards)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_module *modules[MOST];
    cubinet_module_info info = {.size = sizeof(info)};
    int count = cubinet_driver_get_device_count(driver);
    GPU_TRUE(count <= MOST);
    GPU_OK(cubinet_archive_get_module(archive, 0, &info));
    double start = milliseconds();
    GPU_OK(cubinet_module_load_devices(driver, archive, info.name, NULL, (size_t)count, options, modules));
    double loaded = milliseconds();
    expect_shared(driver, modules, count);
    for (int i = 0; i < count; i++) {
        cubinet_image_info image = {.size = sizeof(image)};
        GPU_OK(cubinet_module_get_image(modules[i], &image));
        printf("device %d: %s\n", i, cubinet_target_name(image.target, target));
    }
    for (int i = 0; i < count; i++) {
        for (int j = i; j < count; j++) { /* those that are left */
            expect_computes(modules[backwards ? count - 1 - j : j]);
        }
        GPU_OK(cubinet_module_unload(modules[backwards ? count - 1 - i : i]));
    }
    printf("%d devices loaded in %.2f ms\n", count, loaded - start);
}

int main(int argc, char **argv)
{
    cubinet_archive *archive = NULL;
    cubinet_driver *driver = gpu_start(&calls);
    const cubinet_policy policy = {.size = sizeof(policy), .flags = CUBINET_POLICY_FORCE_PTX};
    const cubinet_load_options ptx = {.size = sizeof(ptx), .policy = &policy};
    GPU_TRUE(argc == 2);
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    for (int backwards = 0; backwards < 2; backwards++) {
        load_use_unload(driver, archive, NULL, backwards);
        load_use_unload(driver, archive, &ptx, backwards);
    }
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return EXIT_SUCCESS;
}
