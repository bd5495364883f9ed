/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative groups, and a cooperative launch whose whole grid synchronizes. */
#include "feature_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 512, TILE = 16, RING = 50000, ROUNDS = 9 };

static void test_tiles(struct feature *feature)
{
    int values[VALUES];
    int sums[VALUES / TILE];
    int before[VALUES];
    unsigned state = 1;
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = (int)(feature_random(&state) % 1000) - 500;
    }
    CUdeviceptr in = feature_upload(feature, values, sizeof(values));
    CUdeviceptr out_sums = feature_upload(feature, NULL, sizeof(sums));
    CUdeviceptr out_before = feature_upload(feature, NULL, sizeof(before));
    const cubinet_arg args[] = {CUBINET_ARG(in), CUBINET_ARG(out_sums), CUBINET_ARG(out_before)};
    feature_launch(feature, "tile_sums", (cubinet_launch_config){.grid = {VALUES / 128}, .block = {128}},
                   args, 3);
    feature_download(feature, sums, out_sums, sizeof(sums));
    feature_download(feature, before, out_before, sizeof(before));
    int sum = 0;
    for (size_t i = 0; i < VALUES; i++) {
        sum = i % TILE ? sum : 0;
        feature_near(before[i], sum, 0, "exclusive_scan", i);
        sum += values[i];
        if (i % TILE == TILE - 1) {
            feature_near(sums[i / TILE], sum, 0, "reduce", i / TILE);
        }
    }
    feature_free(feature, out_before);
    feature_free(feature, out_sums);
    feature_free(feature, in);
}

static void spread(unsigned *values, unsigned *scratch)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < RING; i++) {
            scratch[i] = values[(i + RING - 1) % RING] + values[(i + 1) % RING];
        }
        memcpy(values, scratch, RING * sizeof(*values));
    }
}

/* As many blocks as fit at once: a grid that synchronizes can't have more. */
static void test_grid(struct feature *feature)
{
    static unsigned values[RING];
    static unsigned found[RING];
    static unsigned scratch[RING];
    unsigned count = RING;
    int rounds = ROUNDS;
    unsigned state = 2;
    cubinet_kernel *kernel = NULL;
    for (size_t i = 0; i < RING; i++) {
        values[i] = feature_random(&state);
    }
    GPU_OK(cubinet_module_find_kernel(feature->module, "spread", &kernel));
    const uint64_t extent[3] = {RING, 1, 1};
    const cubinet_suggest_options options = {.size = sizeof(options), .flags = CUBINET_LAUNCH_COOPERATIVE};
    cubinet_launch_config config = {.size = sizeof(config)};
    GPU_OK(cubinet_kernel_suggest_launch(kernel, extent, &options, &config, NULL));
    printf("a cooperative grid of %u blocks of %u threads\n", config.grid[0], config.block[0]);
    CUdeviceptr even = feature_upload(feature, values, sizeof(values));
    CUdeviceptr odd = feature_upload(feature, NULL, sizeof(values));
    const cubinet_arg args[] = {CUBINET_ARG(even), CUBINET_ARG(odd), CUBINET_ARG(count), CUBINET_ARG(rounds)};
    GPU_TRUE(config.flags == CUBINET_LAUNCH_COOPERATIVE);
    feature_launch(feature, "spread", config, args, 4);
    feature_download(feature, found, ROUNDS % 2 ? odd : even, sizeof(found));
    spread(values, scratch);
    for (size_t i = 0; i < RING; i++) {
        feature_near(found[i], values[i], 0, "spread", i);
    }
    feature_free(feature, odd);
    feature_free(feature, even);
}

static void test(struct feature *feature)
{
    test_tiles(feature);
    test_grid(feature);
}

int main(int argc, char **argv)
{
    GPU_TRUE(argc == 2);
    return feature_run(argv[1], "groups", test);
}
