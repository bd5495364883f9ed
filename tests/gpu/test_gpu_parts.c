/* SPDX-License-Identifier: Apache-2.0 */
/* A module in parts, from parts.cu: its kernels compute, its variables are set, also after the archive was
 * closed and by preloading; unloading gives device memory back; and PTX that the driver's compiler refuses in
 * one part has the next image taken for the whole module.
 *
 *     test_gpu_parts PARTS REFUSED */
#include "gpu_test.h"

#include <cubinet/preload.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, ROUNDS = 300 };

static struct gpu_calls calls;

static cubinet_archive *open_archive(const char *path)
{
    cubinet_archive *archive = NULL;
    GPU_OK(cubinet_archive_open(path, NULL, &archive));
    return archive;
}

static cubinet_module *load(cubinet_driver *driver, const cubinet_archive *archive, const char *name)
{
    cubinet_module *module = NULL;
    GPU_OK(cubinet_module_load(driver, archive, name, 0, NULL, &module));
    return module;
}

static void launch(cubinet_module *module, const char *name, CUdeviceptr values)
{
    unsigned count = COUNT;
    cubinet_kernel *kernel = NULL;
    const cubinet_arg args[] = {CUBINET_ARG(values), CUBINET_ARG(count)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {(COUNT + 255) / 256}, .block = {256}};
    GPU_OK(cubinet_module_find_kernel(module, name, &kernel));
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, 2));
}

static void set(cubinet_module *module, const char *name, int value)
{
    CUdeviceptr address = 0;
    size_t bytes = 0;
    GPU_OK(cubinet_module_find_global(module, name, &address, &bytes));
    GPU_TRUE(bytes == sizeof(value));
    GPU_DRIVER(calls.cuMemcpyHtoD(address, &value, sizeof(value)));
}

/* values[i] = (i + 5) * 3, by a kernel and a variable of each part. */
static void compute(cubinet_module *module)
{
    static int values[COUNT];
    CUdeviceptr on_device = 0;
    for (int i = 0; i < COUNT; i++) {
        values[i] = i;
    }
    GPU_DRIVER(calls.cuMemAlloc(&on_device, sizeof(values)));
    GPU_DRIVER(calls.cuMemcpyHtoD(on_device, values, sizeof(values)));
    set(module, "step", 5);
    launch(module, "add", on_device);
    set(module, "factor", 3);
    launch(module, "multiply", on_device);
    GPU_DRIVER(calls.cuMemcpyDtoH(values, on_device, sizeof(values)));
    GPU_DRIVER(calls.cuMemFree(on_device));
    for (int i = 0; i < COUNT; i++) {
        GPU_TRUE(values[i] == (i + 5) * 3);
    }
}

static void test_computes(cubinet_driver *driver, const char *path)
{
    cubinet_archive *archive = open_archive(path);
    cubinet_module *module = load(driver, archive, "parts");
    cubinet_kernel *add = NULL;
    cubinet_kernel *multiply = NULL;
    cubinet_image_info image = {.size = sizeof(image)};
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_archive_close(archive);
    GPU_OK(cubinet_module_get_image(module, &image));
    GPU_TRUE(image.part_count == 2);
    compute(module);
    GPU_OK(cubinet_module_find_kernel(module, "add", &add));
    GPU_OK(cubinet_module_find_kernel(module, "multiply", &multiply));
    GPU_TRUE(cubinet_kernel_get_library(add) != cubinet_kernel_get_library(multiply));
    GPU_TRUE(cubinet_module_get_library(module) == NULL);
    GPU_OK(cubinet_module_unload(module));
    printf("both kernels of %s compute, each in its part\n", cubinet_target_name(image.target, target));
}

static void test_preloads(cubinet_driver *driver, const char *path)
{
    cubinet_archive *archive = open_archive(path);
    const cubinet_preload_item item = {.archive = archive};
    for (uint32_t threads = 0; threads < 5; threads++) {
        const cubinet_preload_options options = {.size = sizeof(options), .threads = threads};
        cubinet_preload *preload = NULL;
        cubinet_preload_result result = {.size = sizeof(result)};
        GPU_OK(cubinet_preload_run(driver, 0, &item, 1, &options, &preload));
        GPU_OK(cubinet_preload_get_result(preload, 0, &result));
        compute(result.module);
        GPU_OK(cubinet_preload_destroy(preload));
    }
    cubinet_archive_close(archive);
    printf("preloaded by 1 to 4 threads, and by one for each processor, they do, too\n");
}

static size_t free_memory(void)
{
    size_t free_bytes = 0;
    size_t total = 0;
    GPU_DRIVER(calls.cuMemGetInfo(&free_bytes, &total));
    return free_bytes;
}

/* The driver keeps some memory for what is loaded next: as much after many rounds as after a few. */
static void test_unloading_gives_memory_back(cubinet_driver *driver, const char *path)
{
    cubinet_archive *archive = open_archive(path);
    size_t after_some = 0;
    for (int round = 0; round < ROUNDS; round++) {
        cubinet_module *module = load(driver, archive, "parts");
        compute(module);
        GPU_OK(cubinet_module_unload(module));
        after_some = round == ROUNDS / 3 ? free_memory() : after_some;
    }
    size_t after_all = free_memory();
    printf("free device memory after %d rounds %zu bytes, after %d %zu\n", ROUNDS / 3 + 1, after_some, ROUNDS,
           after_all);
    GPU_TRUE(after_all >= after_some);
    cubinet_archive_close(archive);
}

static void test_refusal(cubinet_driver *driver, const char *path)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_archive *archive = open_archive(path);
    cubinet_kernel *kernel = NULL;
    cubinet_image_info image = {.size = sizeof(image)};
    /* The broken part first: all kernels come from the next image. */
    cubinet_module *module = load(driver, archive, "refused");
    GPU_OK(cubinet_module_get_image(module, &image));
    GPU_TRUE(strcmp(cubinet_target_name(image.target, target), "compute_80") == 0);
    GPU_OK(cubinet_module_find_kernel(module, "broken", &kernel));
    GPU_OK(cubinet_module_get_image(module, &image));
    GPU_TRUE(strcmp(cubinet_target_name(image.target, target), "compute_75") == 0);
    GPU_OK(cubinet_module_find_kernel(module, "add", &kernel));
    GPU_OK(cubinet_module_unload(module));
    /* The good part first: the other one can't be had. */
    module = load(driver, archive, "refused");
    GPU_OK(cubinet_module_find_kernel(module, "add", &kernel));
    GPU_TRUE(cubinet_module_find_kernel(module, "broken", &kernel) == CUBINET_ERROR_NO_IMAGE);
    printf("%s\n", cubinet_error_message());
    GPU_TRUE(strstr(cubinet_error_message(), "no_such_instruction") != NULL);
    GPU_OK(cubinet_module_get_image(module, &image));
    GPU_TRUE(strcmp(cubinet_target_name(image.target, target), "compute_80") == 0);
    GPU_OK(cubinet_module_unload(module));
    cubinet_archive_close(archive);
}

int main(int argc, char **argv)
{
    CUcontext context = NULL;
    CUcontext popped = NULL;
    cubinet_driver *driver = gpu_start(&calls);
    GPU_TRUE(argc == 3);
    GPU_DRIVER(calls.cuDevicePrimaryCtxRetain(&context, 0));
    GPU_DRIVER(calls.cuCtxPushCurrent(context));
    test_computes(driver, argv[1]);
    test_preloads(driver, argv[1]);
    test_unloading_gives_memory_back(driver, argv[1]);
    test_refusal(driver, argv[2]);
    GPU_DRIVER(calls.cuCtxPopCurrent(&popped));
    cubinet_driver_close(driver);
    return EXIT_SUCCESS;
}
