/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that launch kernels: the device runtime is linked to the image. */
#include "feature_test.h"

#include <stdio.h>

enum { SEGMENTS = 20, VALUES = 1000, LEAVES = 37 };

static void test_segments(struct feature *feature)
{
    float values[VALUES];
    int starts[SEGMENTS + 1];
    int segments = SEGMENTS;
    for (int i = 0; i < VALUES; i++) {
        values[i] = (float)i;
    }
    for (int i = 0; i <= SEGMENTS; i++) {
        starts[i] = 2 * i * i; /* the longest segment has several blocks */
    }
    starts[3] = starts[2]; /* and one is empty */
    CUdeviceptr memory = feature_upload(feature, values, sizeof(values));
    CUdeviceptr bounds = feature_upload(feature, starts, sizeof(starts));
    const cubinet_arg args[] = {CUBINET_ARG(memory), CUBINET_ARG(bounds), CUBINET_ARG(segments)};
    feature_launch(feature, "square_segments", (cubinet_launch_config){.grid = {1}, .block = {32}}, args, 3);
    feature_download(feature, values, memory, sizeof(values));
    for (int i = 0; i < VALUES; i++) {
        double expected = i < starts[SEGMENTS] ? (double)i * i : i;
        feature_near((double)values[i], expected, 0, "square_segments", (size_t)i);
    }
    feature_free(feature, bounds);
    feature_free(feature, memory);
}

static void bisect(int *depths, int first, int count, int depth)
{
    if (count == 1) {
        depths[first] = depth;
    } else if (count > 1) {
        bisect(depths, first, count / 2, depth + 1);
        bisect(depths, first + count / 2, count - count / 2, depth + 1);
    }
}

static void test_recursion(struct feature *feature)
{
    int found[LEAVES];
    int expected[LEAVES];
    int first = 0;
    int count = LEAVES;
    int depth = 0;
    CUdeviceptr memory = feature_upload(feature, NULL, sizeof(found));
    const cubinet_arg args[] = {CUBINET_ARG(memory), CUBINET_ARG(first), CUBINET_ARG(count),
                                CUBINET_ARG(depth)};
    feature_launch(feature, "bisect", (cubinet_launch_config){.grid = {1}, .block = {1}}, args, 4);
    feature_download(feature, found, memory, sizeof(found));
    bisect(expected, first, count, depth);
    for (size_t i = 0; i < LEAVES; i++) {
        feature_near(found[i], expected[i], 0, "bisect", i);
    }
    feature_free(feature, memory);
}

static void test(struct feature *feature)
{
    test_segments(feature);
    test_recursion(feature);
}

int main(int argc, char **argv)
{
    GPU_TRUE(argc == 2);
    return feature_run(argv[1], "dynamic", test);
}
