/* SPDX-License-Identifier: Apache-2.0 */
/* A program with an archive inside that `cubinet build` made, and nothing but the names of the header that it
 * wrote: the kernels are there, what the header says of them holds, and arguments of its functions arrive.
 */
#include "built.h"
#include "gpu_test.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };

/* Every name of the list finds its kernel, unless the image that the GPU got does not hold it. */
static void find_all(const cubinet_archive *archive, cubinet_module *module)
{
    uint32_t number;
    GPU_OK(cubinet_archive_find_module(archive, built_modules[BUILT_KERNELS_ID], &number));
    GPU_TRUE(number == BUILT_KERNELS_ID);
    int found = 0;
    for (uint32_t i = 0; i < BUILT_KERNELS_KERNEL_COUNT; i++) {
        uint32_t place;
        GPU_OK(cubinet_archive_find_kernel(archive, number, built_kernels_kernels[i], &place));
        GPU_TRUE(place == i);
        cubinet_kernel *kernel;
        cubinet_status status = cubinet_module_find_kernel(module, built_kernels_kernels[i], &kernel);
        GPU_TRUE(status == CUBINET_OK || status == CUBINET_ERROR_NOT_FOUND);
        found += status == CUBINET_OK;
    }
    printf("%d of %d kernels are in the image\n", found, BUILT_KERNELS_KERNEL_COUNT);
    GPU_TRUE(found >= 2); /* the others are for clusters */
}

static void check_bounds(const cubinet_kernel *kernel)
{
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    GPU_OK(cubinet_kernel_get_resources(kernel, &resources));
    GPU_TRUE(resources.param_count == BUILT_KERNELS_REVERSE_PARAM_COUNT);
    GPU_TRUE(resources.param_bytes == BUILT_KERNELS_REVERSE_PARAM_BYTES);
    GPU_TRUE(resources.params[0].size == BUILT_KERNELS_REVERSE_PARAM_0_BYTES);
    GPU_TRUE(resources.params[1].size == BUILT_KERNELS_REVERSE_PARAM_1_BYTES);
    GPU_TRUE(resources.max_threads_per_block >= BUILT_KERNELS_REVERSE_MAX_THREADS);
    GPU_TRUE(resources.static_shared_bytes <= BUILT_KERNELS_REVERSE_STATIC_SHARED_BYTES);
}

static void reverse(const struct gpu_calls *calls, const cubinet_kernel *kernel)
{
    static int values[COUNT];
    for (int i = 0; i < COUNT; i++) {
        values[i] = i;
    }
    CUdeviceptr device;
    unsigned int count = COUNT;
    GPU_DRIVER(calls->cuMemAlloc(&device, sizeof(values)));
    GPU_DRIVER(calls->cuMemcpyHtoD(device, values, sizeof(values)));
    const cubinet_launch_config config = {
        .size = sizeof(config),
        .grid = {1},
        .block = {BUILT_KERNELS_REVERSE_MAX_THREADS},
        .dynamic_shared_bytes = sizeof(values),
    };
    GPU_OK(built_kernels_reverse(kernel, &config, (int *)device, count));
    GPU_DRIVER(calls->cuMemcpyDtoH(values, device, sizeof(values)));
    GPU_DRIVER(calls->cuMemFree(device));
    for (int i = 0; i < COUNT; i++) {
        GPU_TRUE(values[i] == COUNT - 1 - i);
    }
    printf("%d values are reversed\n", COUNT);
}

static void check_global(cubinet_module *module)
{
    size_t bytes;
    GPU_OK(cubinet_module_find_global(module, BUILT_KERNELS_TABLE, NULL, &bytes));
    GPU_TRUE(bytes == BUILT_KERNELS_TABLE_BYTES);
}

int main(void)
{
    struct gpu_calls calls;
    cubinet_driver *driver = gpu_start(&calls);
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    GPU_OK(cubinet_archive_open_memory(built, built_size, NULL, &archive));
    GPU_OK(cubinet_module_load(driver, archive, BUILT_KERNELS, 0, NULL, &module));
    GPU_OK(cubinet_module_find_kernel(module, BUILT_KERNELS_REVERSE, &kernel));
    GPU_DRIVER(calls.cuCtxPushCurrent(cubinet_module_get_context(module)));
    find_all(archive, module);
    check_bounds(kernel);
    check_global(module);
    reverse(&calls, kernel);
    CUcontext popped = NULL;
    GPU_DRIVER(calls.cuCtxPopCurrent(&popped));
    GPU_OK(cubinet_module_unload(module));
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return EXIT_SUCCESS;
}
