/* SPDX-License-Identifier: Apache-2.0 */
/* Tile kernels of tests/golden/tileir: of each image, the driver's verdict against selection's; then the best
 * one loaded and launched by tiles. */
#include "gpu_test.h"

#include <stdio.h>
#include <stdlib.h>

enum { TILE = 16, COUNT = 7 * TILE };

#define KERNEL "scale_f32"

/* Up to the first call that refuses the image, whatever selection says of it. */
static cbn_cu_result try_image(const struct gpu_calls *calls, const cubinet_archive *archive, uint32_t number,
                               const cubinet_image_info *image)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    void *code = malloc((size_t)image->raw_size);
    GPU_TRUE(code != NULL);
    GPU_OK(cubinet_archive_read_image(archive, 0, number, code, (size_t)image->raw_size));
    cbn_cu_result result = calls->cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0);
    if (result == CBN_CU_SUCCESS) {
        result = calls->cuLibraryGetKernel(&kernel, library, KERNEL);
        if (result == CBN_CU_SUCCESS) {
            result = calls->cuKernelGetFunction(&function, kernel);
        }
        GPU_DRIVER(calls->cuLibraryUnload(library));
    }
    free(code);
    return result;
}

/* Returns how many images the device runs. */
static size_t compare_verdicts(const cubinet_driver *driver, const struct gpu_calls *calls,
                               const cubinet_archive *archive)
{
    cubinet_module_info module = {.size = sizeof(module)};
    cubinet_device_profile profile = {.size = sizeof(profile)};
    size_t candidates = 0;
    size_t differences = 0;
    GPU_OK(cubinet_archive_get_module(archive, 0, &module));
    GPU_OK(cubinet_driver_get_profile(driver, 0, &profile));
    for (uint32_t i = 0; i < module.image_count; i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        cubinet_image_info image = {.size = sizeof(image)};
        cubinet_verdict verdict;
        GPU_OK(cubinet_archive_get_image(archive, 0, i, &image));
        bool is_chosen = cubinet_images_rank(&image, 1, &profile, NULL, &verdict) == 1;
        cbn_cu_result result = try_image(calls, archive, i, &image);
        printf("%s: selection says %s, the driver %u\n", cubinet_target_name(image.target, name),
               is_chosen ? "yes" : "no", result);
        candidates += is_chosen;
        differences += is_chosen != (result == CBN_CU_SUCCESS);
    }
    GPU_TRUE(differences == 0);
    return candidates;
}

static void scale(const struct gpu_calls *calls, cubinet_module *module)
{
    float values[COUNT];
    CUdeviceptr memory = 0;
    cubinet_kernel *kernel = NULL;
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {COUNT / TILE}, .block = {1}};
    const int32_t length = COUNT, stride = 1;
    const float factor = 3;
    for (int i = 0; i < COUNT; i++) {
        values[i] = (float)i;
    }
    GPU_DRIVER(calls->cuCtxPushCurrent(cubinet_module_get_context(module)));
    GPU_DRIVER(calls->cuMemAlloc(&memory, sizeof(values)));
    GPU_DRIVER(calls->cuMemcpyHtoD(memory, values, sizeof(values)));
    GPU_OK(cubinet_module_find_kernel(module, KERNEL, &kernel));
    const cubinet_arg args[] = {CUBINET_ARG(memory), CUBINET_ARG(length), CUBINET_ARG(stride),
                                CUBINET_ARG(factor)};
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, sizeof(args) / sizeof(args[0])));
    GPU_DRIVER(calls->cuMemcpyDtoH(values, memory, sizeof(values)));
    GPU_DRIVER(calls->cuMemFree(memory));
    for (int i = 0; i < COUNT; i++) {
        GPU_TRUE(values[i] >= 3 * (float)i && values[i] <= 3 * (float)i);
    }
}

int main(int argc, char **argv)
{
    struct gpu_calls calls;
    CUcontext context = NULL;
    cubinet_driver *driver = gpu_start(&calls);
    cubinet_archive *archive = NULL;
    GPU_TRUE(argc == 2);
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    GPU_DRIVER(calls.cuDevicePrimaryCtxRetain(&context, 0));
    GPU_DRIVER(calls.cuCtxPushCurrent(context));
    if (compare_verdicts(driver, &calls, archive) > 0) {
        cubinet_module *module = NULL;
        GPU_OK(cubinet_module_load(driver, archive, "scale", 0, NULL, &module));
        scale(&calls, module);
        GPU_OK(cubinet_module_unload(module));
    } else {
        printf("no image runs here: nothing was launched\n");
    }
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return EXIT_SUCCESS;
}
