/* SPDX-License-Identifier: Apache-2.0 */
/* Features of compute capability 9.0: copies by tensor map, and matrix products of a warpgroup. */
#include "feature_test.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 100, HEIGHT = 80, PITCH = 112, TILE = 32, M = 64, N = 8, K = 16 };

/* The driver's encoder came with CUDA 12.0; the map is a parameter of the kernel. */
static CUtensorMap describe(struct feature *feature, CUdeviceptr memory)
{
    CUtensorMap map;
    const cuuint64_t size[] = {WIDTH, HEIGHT};
    const cuuint64_t stride[] = {PITCH * sizeof(float)};
    const cuuint32_t box[] = {TILE, TILE};
    const cuuint32_t step[] = {1, 1};
    GPU_DRIVER(FEATURE_CALL(feature, cuTensorMapEncodeTiled)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)(uintptr_t)memory, size, stride, box, step,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return map;
}

static void test_tensor_map(struct feature *feature)
{
    static float matrix[HEIGHT][PITCH];
    static float found[WIDTH][HEIGHT];
    int width = WIDTH;
    int height = HEIGHT;
    for (size_t i = 0; i < HEIGHT * PITCH; i++) {
        matrix[i / PITCH][i % PITCH] = (float)i;
    }
    CUdeviceptr in = feature_upload(feature, matrix, sizeof(matrix));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    const CUtensorMap map = describe(feature, in);
    const cubinet_arg args[] = {CUBINET_ARG(map), CUBINET_ARG(out), CUBINET_ARG(width), CUBINET_ARG(height)};
    const cubinet_launch_config config = {.grid = {(WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE},
                                          .block = {128}};
    feature_launch(feature, "transpose_tiles", config, args, 4);
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        feature_near((double)found[i / HEIGHT][i % HEIGHT], (double)matrix[i % HEIGHT][i / HEIGHT], 0,
                     "transpose_tiles", i);
    }
    printf("copies by tensor map: right\n");
    feature_free(feature, out);
    feature_free(feature, in);
}

/* 16-bit floats that are small powers of two, by their exponent. */
static uint16_t power_of_two(unsigned exponent)
{
    return (uint16_t)((15 + exponent) << 10);
}

static void test_warpgroup(struct feature *feature)
{
    uint16_t left[M][K];
    uint16_t right[N][K];
    float found[M][N];
    for (size_t i = 0; i < M * K; i++) {
        left[i / K][i % K] = power_of_two((unsigned)(i / K + i % K) % 5);
    }
    for (size_t i = 0; i < N * K; i++) {
        right[i / K][i % K] = power_of_two((unsigned)(3 * (i / K) + i % K) % 4);
    }
    CUdeviceptr a = feature_upload(feature, left, sizeof(left));
    CUdeviceptr b = feature_upload(feature, right, sizeof(right));
    CUdeviceptr c = feature_upload(feature, NULL, sizeof(found));
    const cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(b), CUBINET_ARG(c)};
    feature_launch(feature, "multiply_tile", (cubinet_launch_config){.grid = {1}, .block = {128}}, args, 3);
    feature_download(feature, found, c, sizeof(found));
    for (size_t row = 0; row < M; row++) {
        for (size_t column = 0; column < N; column++) {
            double expected = 0;
            for (size_t k = 0; k < K; k++) {
                expected += (double)(1U << (row + k) % 5) * (double)(1U << (3 * column + k) % 4);
            }
            feature_near((double)found[row][column], expected, 0, "multiply_tile", row * N + column);
        }
    }
    printf("the product of a warpgroup: right\n");
    feature_free(feature, c);
    feature_free(feature, b);
    feature_free(feature, a);
}

static void test(struct feature *feature)
{
    cubinet_kernel *kernel = NULL;
    test_tensor_map(feature);
    if (cubinet_module_find_kernel(feature->module, "multiply_tile", &kernel) == CUBINET_OK) {
        test_warpgroup(feature);
    }
}

int main(int argc, char **argv)
{
    GPU_TRUE(argc == 2);
    return feature_run(argv[1], "hopper", test);
}
