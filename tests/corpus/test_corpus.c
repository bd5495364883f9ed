/* SPDX-License-Identifier: Apache-2.0 */
#include "test_corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

cubinet_launch_config corpus_line(uint32_t count, uint32_t threads)
{
    return (cubinet_launch_config){.grid = {(count + threads - 1) / threads}, .block = {threads}};
}

cubinet_launch_config corpus_plane(uint32_t width, uint32_t height, uint32_t block_x, uint32_t block_y)
{
    return (cubinet_launch_config){
        .grid = {(width + block_x - 1) / block_x, (height + block_y - 1) / block_y},
        .block = {block_x, block_y},
    };
}

void corpus_fill(float *values, size_t count, float low, float high, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = low + (high - low) * (float)feature_random(&seed) / (float)(1U << 24);
    }
}

void corpus_compare(const float *found, const double *expected, size_t count, double tolerance,
                    const char *kernel)
{
    for (size_t i = 0; i < count; i++) {
        feature_near((double)found[i], expected[i], tolerance * fmax(1, fabs(expected[i])), kernel, i);
    }
}

void corpus_set(struct feature *feature, const char *name, const void *data, size_t bytes)
{
    CUdeviceptr address = 0;
    size_t size = 0;
    GPU_OK(cubinet_module_find_global(feature->module, name, &address, &size));
    GPU_TRUE(size == bytes);
    GPU_DRIVER(feature->calls.cuMemcpyHtoD(address, data, bytes));
}

static void run_case(struct feature *feature, const cubinet_archive *archive, const struct corpus_case *test)
{
    CUcontext context = NULL;
    uint32_t module = 0;
    if (cubinet_archive_find_module(archive, test->module, &module) == CUBINET_ERROR_NOT_FOUND) {
        printf("%s: %s: left out, for the toolkit lacks its headers\n", test->module, test->kernel);
        return;
    }
    GPU_OK(cubinet_module_load(feature->driver, archive, test->module, 0, NULL, &feature->module));
    GPU_DRIVER(feature->calls.cuCtxPushCurrent(cubinet_module_get_context(feature->module)));
    test->run(feature, test->kernel);
    GPU_DRIVER(feature->calls.cuCtxPopCurrent(&context));
    GPU_OK(cubinet_module_unload(feature->module));
    printf("%s: %s: right\n", test->module, test->kernel);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct corpus_case *const tables[] = {library_cases, molecule_cases, picture_cases,
                                                       sample_cases,  sorting_cases,  thrust_cases};
    struct feature feature = {0};
    cubinet_archive *archive = NULL;
    size_t count = 0;
    GPU_TRUE(argc == 2);
    feature.driver = gpu_start(&feature.calls);
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        for (const struct corpus_case *test = tables[i]; test->module; test++) {
            run_case(&feature, archive, test);
            count++;
        }
    }
    printf("%zu kernels are right\n", count);
    cubinet_archive_close(archive);
    cubinet_driver_close(feature.driver);
    return EXIT_SUCCESS;
}
