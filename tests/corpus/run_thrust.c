/* SPDX-License-Identifier: Apache-2.0 */
/* What uses Thrust in kernels. */
#include "test_corpus.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static void table_rows(struct feature *feature, const char *kernel)
{
    enum { ROWS = 4000, EACH = 16, PARTS = ROWS / EACH };
    static float price[ROWS];
    static float weight[ROWS];
    static int count[ROWS];
    static float sums[PARTS];
    static int nearest[PARTS];
    static double expected[PARTS];
    int rows = ROWS;
    int rows_each = EACH;
    float x = 0.25F;
    unsigned seed = 3;
    corpus_fill(price, ROWS, -1, 1, 1);
    corpus_fill(weight, ROWS, 0, 2, 2);
    for (int i = 0; i < ROWS; i++) {
        count[i] = (int)(feature_random(&seed) % 10);
        expected[i / EACH] += (double)price[i] * (double)weight[i] * count[i];
    }
    CUdeviceptr prices = feature_upload(feature, price, sizeof(price));
    CUdeviceptr weights = feature_upload(feature, weight, sizeof(weight));
    CUdeviceptr counts = feature_upload(feature, count, sizeof(count));
    CUdeviceptr out_sums = feature_upload(feature, NULL, sizeof(sums));
    CUdeviceptr out_nearest = feature_upload(feature, NULL, sizeof(nearest));
    LAUNCH(feature, kernel, corpus_line(PARTS, 64), ARG(prices), ARG(weights), ARG(counts), ARG(out_sums),
           ARG(out_nearest), ARG(rows), ARG(rows_each), ARG(x));
    feature_download(feature, sums, out_sums, sizeof(sums));
    feature_download(feature, nearest, out_nearest, sizeof(nearest));
    corpus_compare(sums, expected, PARTS, 1e-5, kernel);
    for (int part = 0; part < PARTS; part++) {
        int best = part * EACH;
        for (int i = best + 1; i < (part + 1) * EACH; i++) {
            best = fabsf(price[i] - x) < fabsf(price[best] - x) ? i : best;
        }
        feature_near(nearest[part], best, 0, kernel, (size_t)part);
    }
    feature_free(feature, out_nearest);
    feature_free(feature, out_sums);
    feature_free(feature, counts);
    feature_free(feature, weights);
    feature_free(feature, prices);
}

static void dft(struct feature *feature, const char *kernel)
{
    enum { N = 96 };
    static float signal[N];
    static float found[2 * N];
    static double expected[2 * N];
    int n = N;
    corpus_fill(signal, N, -1, 1, 4);
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            double angle = -2 * M_PI * k * i / N;
            expected[2 * k] += (double)signal[i] * cos(angle) / sqrt(N);
            expected[2 * k + 1] += (double)signal[i] * sin(angle) / sqrt(N);
        }
    }
    CUdeviceptr in = feature_upload(feature, signal, sizeof(signal));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(N, 32), ARG(in), ARG(out), ARG(n));
    feature_download(feature, found, out, sizeof(found));
    corpus_compare(found, expected, N * 2, 1e-4, kernel);
    feature_free(feature, out);
    feature_free(feature, in);
}

/* The default engine multiplies by 48271, modulo 2^31 - 1. */
static unsigned next_number(unsigned number)
{
    return (unsigned)((uint64_t)number * 48271 % 2147483647);
}

static void estimate_pi(struct feature *feature, const char *kernel)
{
    enum { THREADS = 64, POINTS = 1000 };
    float estimates[THREADS];
    unsigned first_numbers[THREADS];
    int points = POINTS;
    double mean = 0;
    unsigned number = 1;
    CUdeviceptr out_estimates = feature_upload(feature, NULL, sizeof(estimates));
    CUdeviceptr out_numbers = feature_upload(feature, NULL, sizeof(first_numbers));
    LAUNCH(feature, kernel, corpus_line(THREADS, 32), ARG(out_estimates), ARG(out_numbers), ARG(points));
    feature_download(feature, estimates, out_estimates, sizeof(estimates));
    feature_download(feature, first_numbers, out_numbers, sizeof(first_numbers));
    for (size_t i = 0; i < THREADS; i++) {
        feature_near(first_numbers[i], next_number(number), 0, kernel, i);
        for (int k = 0; k < 2 * POINTS; k++) {
            number = next_number(number);
        }
        mean += (double)estimates[i] / THREADS;
    }
    feature_near(mean, M_PI, 0.02, kernel, THREADS);
    feature_free(feature, out_numbers);
    feature_free(feature, out_estimates);
}

static int compare_bytes(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static void median(struct feature *feature, const char *kernel)
{
    enum { WIDTH = 70, HEIGHT = 40, RADIUS = 2, SIDE = 2 * RADIUS + 1 };
    static unsigned char picture[HEIGHT][WIDTH];
    static unsigned char found[HEIGHT][WIDTH];
    int width = WIDTH;
    int height = HEIGHT;
    unsigned seed = 5;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        picture[i / WIDTH][i % WIDTH] = (unsigned char)feature_random(&seed);
    }
    CUdeviceptr in = feature_upload(feature, picture, sizeof(picture));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(WIDTH, HEIGHT, 16, 8), ARG(in), ARG(out), ARG(width), ARG(height));
    feature_download(feature, found, out, sizeof(found));
    for (int y = RADIUS; y < HEIGHT - RADIUS; y++) {
        for (int x = RADIUS; x < WIDTH - RADIUS; x++) {
            unsigned char window[SIDE * SIDE];
            for (int i = 0; i < SIDE * SIDE; i++) {
                window[i] = picture[y - RADIUS + i / SIDE][x - RADIUS + i % SIDE];
            }
            qsort(window, sizeof(window), 1, compare_bytes);
            feature_near(found[y][x], window[SIDE * SIDE / 2], 0, kernel, (size_t)(y * WIDTH + x));
        }
    }
    feature_near(found[0][0], picture[0][0], 0, kernel, 0);
    feature_free(feature, out);
    feature_free(feature, in);
}

const struct corpus_case thrust_cases[] = {
    {"thrust_columns", "table_rows", table_rows},
    {"thrust_dft", "dft<float>", dft},
    {"thrust_median", "median_filter<2>", median},
    {"thrust_pi", "estimate_pi", estimate_pi},
    {0},
};
