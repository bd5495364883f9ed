/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting, sparse matrices and graphs. */
#include "test_corpus.h"

#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_unsigned(const void *a, const void *b)
{
    unsigned left = *(const unsigned *)a;
    unsigned right = *(const unsigned *)b;
    return (left > right) - (left < right);
}

static void fill_unsigned(unsigned *values, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = feature_random(&seed) << 8 ^ feature_random(&seed);
    }
}

static void compare_sorted(const unsigned *found, unsigned *values, size_t count, const char *kernel)
{
    qsort(values, count, sizeof(*values), compare_unsigned);
    for (size_t i = 0; i < count; i++) {
        feature_near(found[i], values[i], 0, kernel, i);
    }
}

/* Each key's value is the key turned round, so that they can be seen to stay together. */
static void bitonic(struct feature *feature, const char *kernel)
{
    enum { N = 1024 };
    unsigned keys[N];
    unsigned values[N];
    unsigned found_keys[N];
    unsigned found_values[N];
    unsigned length = N;
    unsigned ascending = 1;
    fill_unsigned(keys, N, 1);
    for (size_t i = 0; i < N; i++) {
        values[i] = ~keys[i];
    }
    CUdeviceptr key_memory = feature_upload(feature, keys, sizeof(keys));
    CUdeviceptr value_memory = feature_upload(feature, values, sizeof(values));
    LAUNCH(feature, kernel, corpus_line(N / 2, N / 2), ARG(key_memory), ARG(value_memory), ARG(length),
           ARG(ascending));
    feature_download(feature, found_keys, key_memory, sizeof(found_keys));
    feature_download(feature, found_values, value_memory, sizeof(found_values));
    compare_sorted(found_keys, keys, N, kernel);
    for (size_t i = 0; i < N; i++) {
        feature_near(found_values[i], ~found_keys[i], 0, kernel, i);
    }
    feature_free(feature, value_memory);
    feature_free(feature, key_memory);
}

static void radix(struct feature *feature, const char *kernel)
{
    enum { N = 128 * 8 };
    unsigned keys[N];
    unsigned found[N];
    fill_unsigned(keys, N, 2);
    CUdeviceptr in = feature_upload(feature, keys, sizeof(keys));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(128, 128), ARG(in), ARG(out));
    feature_download(feature, found, out, sizeof(found));
    compare_sorted(found, keys, N, kernel);
    feature_free(feature, out);
    feature_free(feature, in);
}

static void quicksort(struct feature *feature, const char *kernel)
{
    enum { N = 2000 };
    static unsigned keys[N];
    static unsigned found[N];
    int left = 0;
    int right = N - 1;
    int depth = 0;
    fill_unsigned(keys, N, 3);
    CUdeviceptr memory = feature_upload(feature, keys, sizeof(keys));
    LAUNCH(feature, kernel, corpus_line(1, 1), ARG(memory), ARG(left), ARG(right), ARG(depth));
    feature_download(feature, found, memory, sizeof(found));
    compare_sorted(found, keys, N, kernel);
    feature_free(feature, memory);
}

/* Row i has i % 40 + 1 numbers. */
static void spmv(struct feature *feature, const char *kernel)
{
    enum { ROWS = 200, MOST = ROWS * 40 };
    static int offsets[ROWS + 1];
    static int columns[MOST];
    static float numbers[MOST];
    static float vector[ROWS];
    static float sums[ROWS];
    static float largest[ROWS];
    static double expected_sums[ROWS];
    static double expected_largest[ROWS];
    int rows = ROWS;
    unsigned state = 4;
    corpus_fill(vector, ROWS, -1, 1, 5);
    corpus_fill(numbers, MOST, -1, 1, 6);
    for (int i = 0; i < ROWS; i++) {
        offsets[i + 1] = offsets[i] + i % 40 + 1;
        expected_largest[i] = -DBL_MAX;
        for (int j = offsets[i]; j < offsets[i + 1]; j++) {
            columns[j] = (int)(feature_random(&state) % ROWS);
            double product = (double)(numbers[j] * vector[columns[j]]);
            expected_sums[i] += product;
            expected_largest[i] = product > expected_largest[i] ? product : expected_largest[i];
        }
    }
    CUdeviceptr in[4] = {
        feature_upload(feature, offsets, sizeof(offsets)), feature_upload(feature, columns, sizeof(columns)),
        feature_upload(feature, numbers, sizeof(numbers)), feature_upload(feature, vector, sizeof(vector))};
    CUdeviceptr out[2] = {feature_upload(feature, NULL, sizeof(sums)),
                          feature_upload(feature, NULL, sizeof(largest))};
    LAUNCH(feature, kernel, corpus_line(ROWS * 32, 128), ARG(rows), ARG(in[0]), ARG(in[1]), ARG(in[2]),
           ARG(in[3]), ARG(out[0]), ARG(out[1]));
    feature_download(feature, sums, out[0], sizeof(sums));
    feature_download(feature, largest, out[1], sizeof(largest));
    corpus_compare(sums, expected_sums, ROWS, 1e-4, kernel);
    corpus_compare(largest, expected_largest, ROWS, 1e-6, kernel);
    for (size_t i = 0; i < 4; i++) {
        feature_free(feature, in[i]);
    }
    feature_free(feature, out[1]);
    feature_free(feature, out[0]);
}

/* A ring with chords, from vertex 0: levels until nothing is new. */
static void breadth_first(struct feature *feature, const char *kernel)
{
    enum { VERTICES = 500, DEGREE = 3 };
    static int offsets[VERTICES + 1];
    static int edges[VERTICES * DEGREE];
    static int distances[VERTICES];
    static int expected[VERTICES];
    struct {
        CUdeviceptr offsets;
        CUdeviceptr edges;
        int vertices;
    } graph = {0, 0, VERTICES};
    for (int i = 0; i < VERTICES; i++) {
        offsets[i + 1] = DEGREE * (i + 1);
        edges[DEGREE * i] = (i + 1) % VERTICES;
        edges[DEGREE * i + 1] = (i + VERTICES - 1) % VERTICES;
        edges[DEGREE * i + 2] = i * 7 % VERTICES;
        distances[i] = expected[i] = i ? INT_MAX : 0;
    }
    for (int changed = 1; changed;) { /* Bellman and Ford need no queue */
        changed = 0;
        for (int i = 0; i < VERTICES * DEGREE; i++) {
            int from = expected[i / DEGREE];
            if (from != INT_MAX && from + 1 < expected[edges[i]]) {
                expected[edges[i]] = from + 1;
                changed = 1;
            }
        }
    }
    graph.offsets = feature_upload(feature, offsets, sizeof(offsets));
    graph.edges = feature_upload(feature, edges, sizeof(edges));
    CUdeviceptr distance = feature_upload(feature, distances, sizeof(distances));
    CUdeviceptr frontiers[2] = {feature_upload(feature, NULL, sizeof(distances)),
                                feature_upload(feature, NULL, sizeof(distances))};
    for (int level = 1, size = 1; size > 0; level++) {
        int none = 0;
        CUdeviceptr next_size = feature_upload(feature, &none, sizeof(none));
        LAUNCH(feature, kernel, corpus_line(256, 64), ARG(graph), ARG(frontiers[1 - level % 2]), ARG(size),
               ARG(distance), ARG(level), ARG(frontiers[level % 2]), ARG(next_size));
        feature_download(feature, &size, next_size, sizeof(size));
        feature_free(feature, next_size);
    }
    feature_download(feature, distances, distance, sizeof(distances));
    for (size_t i = 0; i < VERTICES; i++) {
        feature_near(distances[i], expected[i], 0, kernel, i);
    }
    feature_free(feature, frontiers[1]);
    feature_free(feature, frontiers[0]);
    feature_free(feature, distance);
    feature_free(feature, graph.edges);
    feature_free(feature, graph.offsets);
}

const struct corpus_case sorting_cases[] = {
    {"bitonic_sort", "bitonicSortShared<1024u>", bitonic},
    {"radix_sort", "BlockSortKernel<unsigned,128,8>", radix},
    {"quicksort", "simple_quicksort", quicksort},
    {"spmv", "spmv_csr_vector<float,int>", spmv},
    {"breadth_first", "bfs_level", breadth_first},
    {0},
};
