/* SPDX-License-Identifier: Apache-2.0 */
#include "feature_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *feature_call(const struct feature *feature, const char *name)
{
    void *function = NULL;
    GPU_OK(cubinet_driver_get_proc_address(feature->driver, name, &function));
    return function;
}

static void test_image(struct feature *feature, const cubinet_archive *archive, const char *module,
                       const char *target, feature_fn *test)
{
    const cubinet_policy policy = {.size = sizeof(policy), .only = target};
    const cubinet_load_options options = {.size = sizeof(options), .policy = &policy};
    CUcontext context = NULL;
    printf("%s, %s\n", module, target);
    GPU_OK(cubinet_module_load(feature->driver, archive, module, 0, &options, &feature->module));
    GPU_DRIVER(feature->calls.cuCtxPushCurrent(cubinet_module_get_context(feature->module)));
    test(feature);
    GPU_DRIVER(feature->calls.cuCtxPopCurrent(&context));
    GPU_OK(cubinet_module_unload(feature->module));
    feature->module = NULL;
}

int feature_run(const char *archive_path, const char *module, feature_fn *test)
{
    struct feature feature = {0};
    uint32_t images[GPU_MAX_IMAGES];
    uint32_t number = 0;
    cubinet_archive *archive = NULL;
    char target[CUBINET_TARGET_NAME_SIZE];
    feature.driver = gpu_start(&feature.calls);
    GPU_OK(cubinet_archive_open(archive_path, NULL, &archive));
    GPU_OK(cubinet_archive_find_module(archive, module, &number));
    size_t count = gpu_candidates(feature.driver, archive, number, images);
    for (size_t i = 0; i < count; i++) {
        cubinet_image_info info = {.size = sizeof(info)};
        GPU_OK(cubinet_archive_get_image(archive, number, images[i], &info));
        test_image(&feature, archive, module, cubinet_target_name(info.target, target), test);
    }
    cubinet_archive_close(archive);
    cubinet_driver_close(feature.driver);
    if (count == 0) {
        printf("skipped: this GPU runs no image of module %s\n", module);
        return GPU_TEST_SKIPPED;
    }
    return EXIT_SUCCESS;
}

CUdeviceptr feature_upload(struct feature *feature, const void *data, size_t bytes)
{
    void *zeros = data ? NULL : calloc(1, bytes);
    CUdeviceptr address = 0;
    GPU_TRUE(data || zeros);
    GPU_DRIVER(feature->calls.cuMemAlloc(&address, bytes));
    GPU_DRIVER(feature->calls.cuMemcpyHtoD(address, data ? data : zeros, bytes));
    free(zeros);
    return address;
}

void feature_download(struct feature *feature, void *data, CUdeviceptr address, size_t bytes)
{
    GPU_DRIVER(feature->calls.cuMemcpyDtoH(data, address, bytes));
}

void feature_free(struct feature *feature, CUdeviceptr address)
{
    GPU_DRIVER(feature->calls.cuMemFree(address));
}

void feature_launch(struct feature *feature, const char *kernel, cubinet_launch_config config,
                    const cubinet_arg *args, size_t arg_count)
{
    cubinet_kernel *found = NULL;
    config.size = sizeof(config);
    GPU_OK(cubinet_module_find_kernel(feature->module, kernel, &found));
    GPU_OK(cubinet_kernel_launch(found, &config, args, arg_count));
    GPU_DRIVER(feature->calls.cuStreamSynchronize(config.stream));
}

void feature_near(double found, double expected, double tolerance, const char *what, size_t index)
{
    if (!(fabs(found - expected) <= tolerance)) {
        printf("%s: number %zu is %.9g instead of %.9g\n", what, index, found, expected);
        exit(EXIT_FAILURE);
    }
}

unsigned feature_random(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}
