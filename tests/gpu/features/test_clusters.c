/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters, of a size given at launch and of one that the kernel asks for, and distributed shared memory. */
#include "feature_test.h"

#include <stdio.h>
#include <stdlib.h>

enum { VALUES = 10000, BINS = 64, BLOCKS = 16 };

static void test_histogram(struct feature *feature, uint32_t cluster)
{
    static unsigned char values[VALUES];
    unsigned found[BINS];
    unsigned expected[BINS] = {0};
    int count = VALUES;
    unsigned state = cluster;
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = (unsigned char)feature_random(&state);
        expected[values[i] % BINS]++;
    }
    CUdeviceptr in = feature_upload(feature, values, sizeof(values));
    CUdeviceptr bins = feature_upload(feature, NULL, sizeof(found));
    const cubinet_arg args[] = {CUBINET_ARG(in), CUBINET_ARG(count), CUBINET_ARG(bins)};
    feature_launch(feature, "cluster_histogram",
                   (cubinet_launch_config){.grid = {cluster}, .block = {256}, .cluster = {cluster}}, args, 3);
    feature_download(feature, found, bins, sizeof(found));
    for (size_t i = 0; i < BINS; i++) {
        feature_near(found[i], expected[i], 0, "cluster_histogram", i);
    }
    printf("a histogram over %u blocks: right\n", cluster);
    feature_free(feature, bins);
    feature_free(feature, in);
}

static void test_required_cluster(struct feature *feature)
{
    int values[BLOCKS];
    int found[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        values[i] = 100 + i;
    }
    CUdeviceptr in = feature_upload(feature, values, sizeof(values));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    const cubinet_arg args[] = {CUBINET_ARG(in), CUBINET_ARG(out)};
    feature_launch(feature, "pass_around", (cubinet_launch_config){.grid = {BLOCKS}, .block = {32}}, args, 2);
    feature_download(feature, found, out, sizeof(found));
    for (int i = 0; i < BLOCKS; i++) {
        feature_near(found[i], 100 + i / 4 * 4 + (i + 1) % 4, 0, "pass_around", (size_t)i);
    }
    feature_free(feature, out);
    feature_free(feature, in);
}

static void test(struct feature *feature)
{
    static const uint32_t sizes[] = {1, 2, 4, 8};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        test_histogram(feature, sizes[i]);
    }
    test_required_cluster(feature);
}

int main(int argc, char **argv)
{
    GPU_TRUE(argc == 2);
    return feature_run(argv[1], "clusters", test);
}
