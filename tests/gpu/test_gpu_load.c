/* SPDX-License-Identifier: Apache-2.0 */
/* Loads every image of the given archives that the GPU can run, and compares what the archive records of each
 * kernel with what the driver says of it. */
#include "gpu_test.h"

#include <stdio.h>
#include <stdlib.h>

struct tally {
    unsigned int images;
    unsigned int kernels;
    unsigned int compared;
    unsigned int mismatches;
};

/* Where the numbers belong, for the table of mismatches. */
struct place {
    const char *module;
    const char *target;
    const char *kernel;
};

static void compare(struct tally *tally, const struct place *place, const char *what, uint32_t recorded,
                    long long driver)
{
    if (recorded == CUBINET_UNKNOWN) {
        return;
    }
    tally->compared++;
    if ((long long)recorded != driver) {
        if (!tally->mismatches++) {
            printf("%-24s %-12s %-32s %-28s %10s %10s\n", "module", "image", "kernel", "number", "archive",
                   "driver");
        }
        printf("%-24s %-12s %-32s %-28s %10u %10lld\n", place->module, place->target, place->kernel, what,
               recorded, driver);
    }
}

static int function_attribute(const struct gpu_calls *calls, const cubinet_kernel *kernel,
                              unsigned int attribute)
{
    CUfunction function = NULL;
    int value = 0;
    int of_kernel = 0;
    GPU_OK(cubinet_kernel_get_function(kernel, &function));
    GPU_DRIVER(calls->cuFuncGetAttribute(&value, attribute, function));
    GPU_DRIVER(calls->cuKernelGetAttribute(&of_kernel, attribute, cubinet_kernel_get_handle(kernel), 0));
    GPU_TRUE(value == of_kernel);
    return value;
}

static void compare_attributes(const struct gpu_calls *calls, struct tally *tally, const struct place *place,
                               const cubinet_kernel *kernel, const cubinet_kernel_resources *resources)
{
    const struct {
        const char *name;
        uint32_t recorded;
        unsigned int attribute;
    } numbers[] = {
        {"registers", resources->registers, CBN_CU_FUNC_NUM_REGS},
        {"static shared bytes", resources->static_shared_bytes, CBN_CU_FUNC_SHARED_SIZE_BYTES},
        {"local bytes", resources->local_bytes, CBN_CU_FUNC_LOCAL_SIZE_BYTES},
        {"constant bytes", resources->constant_bytes, CBN_CU_FUNC_CONST_SIZE_BYTES},
        {"maximum threads per block", resources->max_threads_per_block, CBN_CU_FUNC_MAX_THREADS_PER_BLOCK},
        {"required cluster x", resources->required_cluster[0], CBN_CU_FUNC_REQUIRED_CLUSTER_WIDTH},
        {"required cluster y", resources->required_cluster[1], CBN_CU_FUNC_REQUIRED_CLUSTER_HEIGHT},
        {"required cluster z", resources->required_cluster[2], CBN_CU_FUNC_REQUIRED_CLUSTER_DEPTH},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        compare(tally, place, numbers[i].name, numbers[i].recorded,
                function_attribute(calls, kernel, numbers[i].attribute));
    }
}

static void compare_params(const struct gpu_calls *calls, struct tally *tally, const struct place *place,
                           const cubinet_kernel *kernel, const cubinet_kernel_resources *resources)
{
    if (!calls->cuKernelGetParamInfo || resources->param_count == CUBINET_UNKNOWN) {
        return;
    }
    CUkernel handle = cubinet_kernel_get_handle(kernel);
    size_t offset = 0;
    size_t size = 0;
    uint32_t count = 0;
    cbn_cu_result result = CBN_CU_SUCCESS;
    while ((result = calls->cuKernelGetParamInfo(handle, count, &offset, &size)) == CBN_CU_SUCCESS) {
        if (count < resources->param_count) {
            compare(tally, place, "parameter offset", resources->params[count].offset, (long long)offset);
            compare(tally, place, "parameter size", resources->params[count].size, (long long)size);
        }
        count++;
    }
    if (result != CBN_CU_INVALID_VALUE) { /* what it says to a number beyond the last */
        GPU_DRIVER(result);
    }
    compare(tally, place, "parameters", resources->param_count, count);
    compare(tally, place, "parameter bytes", resources->param_bytes, count ? (long long)(offset + size) : 0);
}

static void compare_kernels(const struct gpu_calls *calls, struct tally *tally, struct place *place,
                            const cubinet_archive *archive, uint32_t number, cubinet_module *module)
{
    cubinet_module_info info = {.size = sizeof(info)};
    GPU_OK(cubinet_archive_get_module(archive, number, &info));
    for (uint32_t i = 0; i < info.kernel_count; i++) {
        cubinet_kernel_info kernel_info = {.size = sizeof(kernel_info)};
        cubinet_kernel_resources resources = {.size = sizeof(resources)};
        cubinet_kernel *kernel = NULL;
        GPU_OK(cubinet_archive_get_kernel(archive, number, i, &kernel_info));
        cubinet_status status = cubinet_module_find_kernel(module, kernel_info.name, &kernel);
        if (status == CUBINET_ERROR_NOT_FOUND) { /* compiled for other architectures only */
            continue;
        }
        GPU_OK(status);
        GPU_OK(cubinet_kernel_get_resources(kernel, &resources));
        place->kernel = kernel_info.expression;
        tally->kernels++;
        compare_attributes(calls, tally, place, kernel, &resources);
        compare_params(calls, tally, place, kernel, &resources);
    }
}

static void compare_module(cubinet_driver *driver, const struct gpu_calls *calls, struct tally *tally,
                           const cubinet_archive *archive, uint32_t number)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    uint32_t images[GPU_MAX_IMAGES];
    cubinet_module_info info = {.size = sizeof(info)};
    GPU_OK(cubinet_archive_get_module(archive, number, &info));
    size_t count = gpu_candidates(driver, archive, number, images);
    for (size_t i = 0; i < count; i++) {
        cubinet_image_info image = {.size = sizeof(image)};
        GPU_OK(cubinet_archive_get_image(archive, number, images[i], &image));
        const cubinet_policy policy = {.size = sizeof(policy),
                                       .only = cubinet_target_name(image.target, target)};
        const cubinet_load_options options = {.size = sizeof(options), .policy = &policy};
        cubinet_module *module = NULL;
        GPU_OK(cubinet_module_load(driver, archive, info.name, 0, &options, &module));
        struct place place = {.module = info.name, .target = target};
        CUcontext popped = NULL;
        tally->images++;
        GPU_DRIVER(
            calls->cuCtxPushCurrent(cubinet_module_get_context(module))); /* for cuKernelGetParamInfo() */
        compare_kernels(calls, tally, &place, archive, number, module);
        GPU_DRIVER(calls->cuCtxPopCurrent(&popped));
        GPU_OK(cubinet_module_unload(module));
    }
}

int main(int argc, char **argv)
{
    struct gpu_calls calls;
    struct tally tally = {0};
    cubinet_driver *driver = gpu_start(&calls);
    for (int i = 1; i < argc; i++) {
        cubinet_archive *archive = NULL;
        GPU_OK(cubinet_archive_open(argv[i], NULL, &archive));
        for (uint32_t module = 0; module < cubinet_archive_get_module_count(archive); module++) {
            compare_module(driver, &calls, &tally, archive, module);
        }
        cubinet_archive_close(archive);
    }
    cubinet_driver_close(driver);
    printf("%u images loaded, %u kernels, %u numbers compared, %u mismatches\n", tally.images, tally.kernels,
           tally.compared, tally.mismatches);
    return tally.compared > 0 && tally.mismatches == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
