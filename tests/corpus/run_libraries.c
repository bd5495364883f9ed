/* SPDX-License-Identifier: Apache-2.0 */
/* What uses libraries made of headers. */
#include "test_corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fixed_point(struct feature *feature, const char *kernel)
{
    enum { N = 1000 };
    static int32_t values[N];
    static int32_t found[N];
    int32_t least = INT32_MAX;
    int32_t expected_least = INT32_MAX;
    int count = N;
    for (int i = 0; i < N; i++) {
        values[i] = (i - N / 3) * 157; /* with 16 bits after the point */
    }
    CUdeviceptr in = feature_upload(feature, values, sizeof(values));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    CUdeviceptr out_least = feature_upload(feature, &least, sizeof(least));
    LAUNCH(feature, kernel, corpus_line(N, 128), ARG(in), ARG(out), ARG(out_least), ARG(count));
    feature_download(feature, found, out, sizeof(found));
    feature_download(feature, &least, out_least, sizeof(least));
    for (size_t i = 0; i < N; i++) {
        int64_t x = values[i];
        int64_t inner = (x * (3 * 65536) >> 16) - 2 * 65536;
        int32_t expected = (int32_t)((inner * x >> 16) + 65536);
        feature_near(found[i], expected, 0, kernel, i);
        expected_least = expected < expected_least ? expected : expected_least;
    }
    feature_near(least, expected_least, 0, kernel, N);
    feature_free(feature, out_least);
    feature_free(feature, out);
    feature_free(feature, in);
}

static void expression_templates(struct feature *feature, const char *kernel)
{
    enum { N = 5000 };
    static float x[N];
    static float y[N];
    static float found[N];
    static double expected[N];
    float factors[3] = {2.5F, -1.25F, 10};
    unsigned long long n = N;
    corpus_fill(x, N, -1, 1, 1);
    corpus_fill(y, N, -1, 1, 2);
    CUdeviceptr in_x = feature_upload(feature, x, sizeof(x));
    CUdeviceptr in_y = feature_upload(feature, y, sizeof(y));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(1024, 128), ARG(in_x), ARG(in_y), ARG(out), ARG(factors[0]),
           ARG(factors[1]), ARG(factors[2]), ARG(n));
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < N; i++) {
        expected[i] = 2.5 * (double)x[i] - 1.25 * (double)y[i] + 10;
    }
    corpus_compare(found, expected, N, 1e-6, kernel);
    feature_free(feature, out);
    feature_free(feature, in_y);
    feature_free(feature, in_x);
}

/* The trace of the cube of each matrix: the sum over i, j, k of m(i,j) m(j,k) m(k,i). */
static void small_matrix(struct feature *feature, const char *kernel)
{
    enum { N = 3, MATRICES = 100 };
    static float matrices[MATRICES][N][N];
    static float found[MATRICES];
    static double expected[MATRICES];
    int count = MATRICES;
    int exponent = 3;
    corpus_fill(matrices[0][0], MATRICES * N * N, -2, 2, 3);
    CUdeviceptr in = feature_upload(feature, matrices, sizeof(matrices));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(MATRICES, 32), ARG(in), ARG(out), ARG(count), ARG(exponent));
    feature_download(feature, found, out, sizeof(found));
    for (size_t m = 0; m < MATRICES; m++) {
        expected[m] = 0;
        for (size_t i = 0; i < N * N * N; i++) {
            size_t a = i % N;
            size_t b = i / N % N;
            size_t c = i / N / N;
            expected[m] += (double)matrices[m][a][b] * (double)matrices[m][b][c] * (double)matrices[m][c][a];
        }
    }
    corpus_compare(found, expected, MATRICES, 1e-4, kernel);
    feature_free(feature, out);
    feature_free(feature, in);
}

static void string_hash(struct feature *feature, const char *kernel)
{
    enum { WORDS = 6 };
    static const char words[WORDS][16] = {"Kernel",    "device", "GLOBAL",
                                          "something", "kernel", "sixteen letters!"};
    static const unsigned expected[4] = {2, 1, 1, 2};
    unsigned counts[4];
    uint32_t hashes[WORDS];
    int count = WORDS;
    CUdeviceptr in = feature_upload(feature, words, sizeof(words));
    CUdeviceptr out_counts = feature_upload(feature, NULL, sizeof(counts));
    CUdeviceptr out_hashes = feature_upload(feature, NULL, sizeof(hashes));
    LAUNCH(feature, kernel, corpus_line(WORDS, 32), ARG(in), ARG(count), ARG(out_counts), ARG(out_hashes));
    feature_download(feature, counts, out_counts, sizeof(counts));
    feature_download(feature, hashes, out_hashes, sizeof(hashes));
    for (size_t i = 0; i < 4; i++) {
        feature_near(counts[i], expected[i], 0, kernel, i);
    }
    for (size_t i = 0; i < WORDS; i++) {
        uint32_t hash = 2166136261U;
        for (size_t k = 0; k < 16 && words[i][k]; k++) {
            char letter = words[i][k];
            letter = letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter;
            hash = (hash ^ (unsigned char)letter) * 16777619U;
        }
        feature_near(hashes[i], hash, 0, kernel, i);
    }
    feature_free(feature, out_hashes);
    feature_free(feature, out_counts);
    feature_free(feature, in);
}

/* After enough steps every point is at one of the three roots of 1, except for few on the borders. */
static void complex_roots(struct feature *feature, const char *kernel)
{
    enum { WIDTH = 40, HEIGHT = 30 };
    static float found[WIDTH * HEIGHT][2];
    int width = WIDTH;
    int height = HEIGHT;
    int steps = 60;
    int strangers = 0;
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(WIDTH, HEIGHT, 16, 16), ARG(out), ARG(width), ARG(height),
           ARG(steps));
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        double x = (double)found[i][0];
        double y = (double)found[i][1];
        double real = x * x * x - 3 * x * y * y;
        double imaginary = 3 * x * x * y - y * y * y;
        strangers += !(fabs(real - 1) < 1e-4 && fabs(imaginary) < 1e-4);
    }
    printf("%d of %d points found no root\n", strangers, WIDTH * HEIGHT);
    GPU_TRUE(strangers < 10);
    feature_free(feature, out);
}

static void attention(struct feature *feature, const char *kernel)
{
    enum { LENGTH = 50, CHANNELS = 32 };
    static float inputs[3][LENGTH][CHANNELS]; /* queries, keys, values */
    static float found[LENGTH][CHANNELS];
    static double scores[LENGTH];
    int length = LENGTH;
    float scale = 0.5F;
    corpus_fill(inputs[0][0], 3 * LENGTH * CHANNELS, -1, 1, 4);
    CUdeviceptr in[3];
    for (size_t i = 0; i < 3; i++) {
        in[i] = feature_upload(feature, inputs[i], sizeof(inputs[i]));
    }
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(LENGTH * 32, 128), ARG(in[0]), ARG(in[1]), ARG(in[2]), ARG(out),
           ARG(length), ARG(scale));
    feature_download(feature, found, out, sizeof(found));
    for (size_t row = 0; row < LENGTH; row++) {
        double expected[CHANNELS] = {0};
        double total = 0;
        for (size_t k = 0; k < LENGTH; k++) {
            scores[k] = 0;
            for (size_t c = 0; c < CHANNELS; c++) {
                scores[k] += (double)inputs[0][row][c] * (double)inputs[1][k][c];
            }
            scores[k] = exp((double)scale * scores[k]);
            total += scores[k];
        }
        for (size_t i = 0; i < LENGTH * CHANNELS; i++) {
            expected[i % CHANNELS] +=
                scores[i / CHANNELS] / total * (double)inputs[2][i / CHANNELS][i % CHANNELS];
        }
        corpus_compare(found[row], expected, CHANNELS, 1e-4, kernel);
    }
    feature_free(feature, out);
    for (size_t i = 0; i < 3; i++) {
        feature_free(feature, in[i]);
    }
}

/* Every item is taken once, by whichever thread. */
static void atomic_queue(struct feature *feature, const char *kernel)
{
    enum { N = 10000 };
    static unsigned items[N];
    static unsigned visits[N];
    unsigned count = N;
    unsigned long long sum = 0;
    unsigned long long expected = 0;
    unsigned state = 5;
    for (size_t i = 0; i < N; i++) {
        items[i] = feature_random(&state);
        expected += items[i];
    }
    CUdeviceptr in = feature_upload(feature, items, sizeof(items));
    CUdeviceptr out_sum = feature_upload(feature, NULL, sizeof(sum));
    CUdeviceptr out_visits = feature_upload(feature, NULL, sizeof(visits));
    LAUNCH(feature, kernel, corpus_line(1024, 128), ARG(in), ARG(count), ARG(out_sum), ARG(out_visits));
    feature_download(feature, &sum, out_sum, sizeof(sum));
    feature_download(feature, visits, out_visits, sizeof(visits));
    GPU_TRUE(sum == expected);
    for (size_t i = 0; i < N; i++) {
        feature_near(visits[i], 1, 0, kernel, i);
    }
    feature_free(feature, out_visits);
    feature_free(feature, out_sum);
    feature_free(feature, in);
}

static void optional_values(struct feature *feature, const char *kernel)
{
    enum { ROWS = 4 };
    static const float rows[ROWS][3] = {{1, 2, 3}, {1, 2, -1}, {-1, 2, 3}, {0, 0.5F, 8}};
    static const double expected[ROWS] = {6, 4 * 3.14159265, -1, 4};
    float found[ROWS];
    int count = ROWS;
    CUdeviceptr in = feature_upload(feature, rows, sizeof(rows));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(ROWS, 32), ARG(in), ARG(out), ARG(count));
    feature_download(feature, found, out, sizeof(found));
    corpus_compare(found, expected, ROWS, 1e-6, kernel);
    feature_free(feature, out);
    feature_free(feature, in);
}

const struct corpus_case library_cases[] = {
    {"fixed_point", "horner<fp::q16>", fixed_point},
    {"expression_templates", "combine", expression_templates},
    {"small_matrix", "powers<float,3>", small_matrix},
    {"string_hash", "count_keywords", string_hash},
    {"complex_roots", "newton", complex_roots},
    {"attention", "attention<32,16>", attention},
    {"atomic_queue", "work", atomic_queue},
    {"optional_values", "areas", optional_values},
    {0},
};
