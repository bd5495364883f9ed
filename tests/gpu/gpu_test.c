/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_test.h"

#include <stdio.h>
#include <stdlib.h>

void gpu_ok(cubinet_status status, const char *call, const char *file, int line)
{
    if (status) {
        printf("%s:%d: %s: %s: %s\n", file, line, call, cubinet_status_name(status), cubinet_error_message());
        exit(EXIT_FAILURE);
    }
}

void gpu_driver(cbn_cu_result result, const char *call, const char *file, int line)
{
    if (result != CBN_CU_SUCCESS) {
        printf("%s:%d: %s: CUresult %u\n", file, line, call, result);
        exit(EXIT_FAILURE);
    }
}

void gpu_true(bool condition, const char *text, const char *file, int line)
{
    if (!condition) {
        printf("%s:%d: not so: %s\n(last error: %s)\n", file, line, text, cubinet_error_message());
        exit(EXIT_FAILURE);
    }
}

static void get_calls(const cubinet_driver *driver, struct gpu_calls *calls)
{
    cubinet_status status = CUBINET_OK;
#define GPU_GET(name, params, optional)                                                                      \
    status = cubinet_driver_get_proc_address(driver, #name, (void **)&calls->name);                          \
    if (!(optional) || status != CUBINET_ERROR_NOT_FOUND) {                                                  \
        GPU_OK(status);                                                                                      \
    }
    GPU_FUNCTIONS(GPU_GET)
#undef GPU_GET
}

cubinet_driver *gpu_open_driver(void)
{
    cubinet_driver *driver = NULL;
    cubinet_status status = cubinet_driver_open(NULL, &driver);
    if (status == CUBINET_ERROR_NO_DRIVER || status == CUBINET_ERROR_NO_DEVICE) {
        printf("skipped: %s\n", cubinet_error_message());
        exit(GPU_TEST_SKIPPED);
    }
    GPU_OK(status);
    return driver;
}

cubinet_driver *gpu_open(struct gpu_calls *out_calls)
{
    cubinet_driver *driver = gpu_open_driver();
    *out_calls = (struct gpu_calls){0};
    get_calls(driver, out_calls);
    return driver;
}

cubinet_driver *gpu_start(struct gpu_calls *out_calls)
{
    cubinet_driver *driver = gpu_open(out_calls);
    cubinet_device_profile profile = {.size = sizeof(profile)};
    GPU_OK(cubinet_driver_get_profile(driver, 0, &profile));
    printf("device 0: compute capability %d.%d, driver for CUDA %u.%u\n", profile.compute_major,
           profile.compute_minor, profile.driver_version / 1000, profile.driver_version % 1000 / 10);
    return driver;
}

size_t gpu_candidates(const cubinet_driver *driver, const cubinet_archive *archive, uint32_t module,
                      uint32_t images[GPU_MAX_IMAGES])
{
    cubinet_device_profile profile = {.size = sizeof(profile)};
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_image_info infos[GPU_MAX_IMAGES];
    cubinet_verdict verdicts[GPU_MAX_IMAGES];
    GPU_OK(cubinet_driver_get_profile(driver, 0, &profile));
    GPU_OK(cubinet_archive_get_module(archive, module, &info));
    GPU_TRUE(info.image_count <= GPU_MAX_IMAGES);
    for (uint32_t i = 0; i < info.image_count; i++) {
        infos[i].size = sizeof(infos[i]);
        GPU_OK(cubinet_archive_get_image(archive, module, i, &infos[i]));
    }
    size_t count = cubinet_images_rank(infos, info.image_count, &profile, NULL, verdicts);
    for (size_t i = 0; i < count; i++) {
        images[i] = verdicts[i].image;
    }
    return count;
}

void gpu_copy_in(const struct gpu_calls *calls, CUdeviceptr to, const void *from, size_t bytes)
{
    GPU_DRIVER(calls->cuMemcpyHtoD(to, from, bytes));
    GPU_DRIVER(calls->cuStreamSynchronize(NULL));
}
