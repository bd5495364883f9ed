/* SPDX-License-Identifier: Apache-2.0 */
/* Variables by name: constant, of the device, managed. A managed one is read without a copy. */
#include "feature_test.h"

#include <stdio.h>
#include <string.h>

static CUdeviceptr find(const struct feature *feature, const char *name, size_t bytes)
{
    CUdeviceptr address = 0;
    size_t size = 0;
    GPU_OK(cubinet_module_find_global(feature->module, name, &address, &size));
    GPU_TRUE(size == bytes);
    return address;
}

/* A managed variable has one address for host and device. */
static void *find_managed(const struct feature *feature, const char *name, size_t bytes)
{
    return (void *)(uintptr_t)find(feature, name, bytes);
}

static void set(struct feature *feature, const char *name, const void *data, size_t bytes)
{
    GPU_DRIVER(feature->calls.cuMemcpyHtoD(find(feature, name, bytes), data, bytes));
}

static void test(struct feature *feature)
{
    static const float weights[4] = {1, 2, 3, 4.5F};
    static const int offset = 100;
    float scale = 0;
    feature_download(feature, &scale, find(feature, "scale", sizeof(scale)), sizeof(scale));
    GPU_TRUE(scale == 2); /* as the source initializes it */
    set(feature, "weights", weights, sizeof(weights));
    set(feature, "&settings::offset", &offset, sizeof(offset));
    volatile int *calls = find_managed(feature, "calls", sizeof(int));
    const volatile float *results = find_managed(feature, "results", 8 * sizeof(float));
    GPU_TRUE(*calls == 40);
    *calls = 50;
    feature_launch(feature, "combine", (cubinet_launch_config){.grid = {1}, .block = {8}}, NULL, 0);
    GPU_TRUE(*calls == 58);
    for (size_t i = 0; i < 8; i++) {
        feature_near((double)results[i], 2 * 10.5 + 100 + (double)i, 0, "results", i);
    }
}

/* What is recorded, which takes no GPU to read. */
static void test_recorded(const char *path)
{
    static const struct {
        const char *name;
        int is_constant;
        int is_managed;
    } expected[] = {{"weights", 1, 0}, {"scale", 0, 0}, {"calls", 0, 1}, {"results", 0, 1}};
    cubinet_archive *archive = NULL;
    uint32_t module = 0;
    uint32_t global = 0;
    GPU_OK(cubinet_archive_open(path, NULL, &archive));
    GPU_OK(cubinet_archive_find_module(archive, "variables", &module));
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        cubinet_global_info info = {.size = sizeof(info)};
        GPU_OK(cubinet_archive_find_global(archive, module, expected[i].name, &global));
        GPU_OK(cubinet_archive_get_global(archive, module, global, &info));
        GPU_TRUE(!!(info.flags & CUBINET_GLOBAL_CONSTANT) == expected[i].is_constant);
        GPU_TRUE(!!(info.flags & CUBINET_GLOBAL_MANAGED) == expected[i].is_managed);
    }
    cubinet_archive_close(archive);
}

int main(int argc, char **argv)
{
    GPU_TRUE(argc == 2);
    test_recorded(argv[1]);
    return feature_run(argv[1], "variables", test);
}
