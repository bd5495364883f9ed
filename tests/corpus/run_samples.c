/* SPDX-License-Identifier: Apache-2.0 */
/* Numerical staples of sample collections. */
#include "test_corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void vector_add(struct feature *feature, const char *kernel)
{
    enum { N = 50000 };
    static float a[N];
    static float b[N];
    static float found[N];
    static double expected[N];
    int n = N;
    corpus_fill(a, N, -1, 1, 1);
    corpus_fill(b, N, -1, 1, 2);
    CUdeviceptr in_a = feature_upload(feature, a, sizeof(a));
    CUdeviceptr in_b = feature_upload(feature, b, sizeof(b));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(N, 256), ARG(in_a), ARG(in_b), ARG(out), ARG(n));
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < N; i++) {
        expected[i] = (double)a[i] + (double)b[i];
    }
    corpus_compare(found, expected, N, 1e-6, kernel);
    feature_free(feature, out);
    feature_free(feature, in_b);
    feature_free(feature, in_a);
}

static void matrix_mul(struct feature *feature, const char *kernel)
{
    enum { ROWS = 64, INNER = 96, COLUMNS = 128 };
    static float a[ROWS * INNER];
    static float b[INNER * COLUMNS];
    static float found[ROWS * COLUMNS];
    static double expected[ROWS * COLUMNS];
    int inner = INNER;
    int columns = COLUMNS;
    uint32_t tile = strstr(kernel, "16") ? 16 : 32;
    corpus_fill(a, ROWS * INNER, -1, 1, 3);
    corpus_fill(b, INNER * COLUMNS, -1, 1, 4);
    CUdeviceptr in_a = feature_upload(feature, a, sizeof(a));
    CUdeviceptr in_b = feature_upload(feature, b, sizeof(b));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(COLUMNS, ROWS, tile, tile), ARG(out), ARG(in_a), ARG(in_b),
           ARG(inner), ARG(columns));
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        expected[i] = 0;
        for (size_t k = 0; k < INNER; k++) {
            expected[i] += (double)a[i / COLUMNS * INNER + k] * (double)b[k * COLUMNS + i % COLUMNS];
        }
    }
    corpus_compare(found, expected, ROWS * COLUMNS, 1e-4, kernel);
    feature_free(feature, out);
    feature_free(feature, in_b);
    feature_free(feature, in_a);
}

static void transpose(struct feature *feature, const char *kernel)
{
    enum { WIDTH = 100, HEIGHT = 70 };
    static double in[WIDTH * HEIGHT];
    static double found[WIDTH * HEIGHT];
    int width = WIDTH;
    int height = HEIGHT;
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        in[i] = (double)i;
    }
    CUdeviceptr from = feature_upload(feature, in, sizeof(in));
    CUdeviceptr to = feature_upload(feature, NULL, sizeof(found));
    const cubinet_launch_config config = {.grid = {(WIDTH + 31) / 32, (HEIGHT + 31) / 32}, .block = {32, 8}};
    LAUNCH(feature, kernel, config, ARG(to), ARG(from), ARG(width), ARG(height));
    feature_download(feature, found, to, sizeof(found));
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        feature_near(found[i], in[i % HEIGHT * WIDTH + i / HEIGHT], 0, kernel, i);
    }
    feature_free(feature, to);
    feature_free(feature, from);
}

static void reduction(struct feature *feature, const char *kernel)
{
    enum { N = 100001 };
    static int values[N];
    int found = 0;
    long expected = 0;
    uint32_t count = N;
    unsigned state = 5;
    for (size_t i = 0; i < N; i++) {
        values[i] = (int)(feature_random(&state) % 2001) - 1000;
        expected += values[i];
    }
    CUdeviceptr in = feature_upload(feature, values, sizeof(values));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(20 * 128, 128), ARG(in), ARG(out), ARG(count));
    feature_download(feature, &found, out, sizeof(found));
    feature_near(found, (double)expected, 0, kernel, 0);
    feature_free(feature, out);
    feature_free(feature, in);
}

static void scan(struct feature *feature, const char *kernel)
{
    enum { N = 1024 };
    int values[N];
    int found[N];
    int n = N;
    unsigned state = 6;
    for (size_t i = 0; i < N; i++) {
        values[i] = (int)(feature_random(&state) % 100);
    }
    CUdeviceptr in = feature_upload(feature, values, sizeof(values));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    cubinet_launch_config config = corpus_line(N / 2, N / 2);
    config.dynamic_shared_bytes = (N + N / 32) * sizeof(int);
    LAUNCH(feature, kernel, config, ARG(out), ARG(in), ARG(n));
    feature_download(feature, found, out, sizeof(found));
    int sum = 0;
    for (size_t i = 0; i < N; i++) {
        feature_near(found[i], sum, 0, kernel, i);
        sum += values[i];
    }
    feature_free(feature, out);
    feature_free(feature, in);
}

static void histogram(struct feature *feature, const char *kernel)
{
    enum { BYTES = 100000, BINS = 256 };
    static unsigned char values[BYTES];
    unsigned found[BINS];
    unsigned expected[BINS] = {0};
    uint32_t words = BYTES / 4;
    unsigned state = 7;
    for (size_t i = 0; i < BYTES; i++) {
        values[i] = (unsigned char)feature_random(&state);
        expected[values[i]]++;
    }
    CUdeviceptr in = feature_upload(feature, values, sizeof(values));
    CUdeviceptr bins = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(10 * 192, 192), ARG(bins), ARG(in), ARG(words));
    feature_download(feature, found, bins, sizeof(found));
    for (size_t i = 0; i < BINS; i++) {
        feature_near(found[i], expected[i], 0, kernel, i);
    }
    feature_free(feature, bins);
    feature_free(feature, in);
}

static void nbody(struct feature *feature, const char *kernel)
{
    enum { BODIES = 300, THREADS = 128 };
    static float bodies[BODIES][4];
    static float found[BODIES][4];
    const float softening = 0.01F;
    int count = BODIES;
    corpus_fill(bodies[0], BODIES * 4, 0.1F, 1, 8);
    corpus_set(feature, "softeningSquared", &softening, sizeof(softening));
    CUdeviceptr in = feature_upload(feature, bodies, sizeof(bodies));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    cubinet_launch_config config = corpus_line(BODIES, THREADS);
    config.dynamic_shared_bytes = THREADS * 4 * sizeof(float);
    LAUNCH(feature, kernel, config, ARG(in), ARG(out), ARG(count));
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < BODIES; i++) {
        double sum[3] = {0};
        for (size_t j = 0; j < BODIES; j++) {
            double d[3];
            double squared = (double)softening;
            for (size_t k = 0; k < 3; k++) {
                d[k] = (double)bodies[j][k] - (double)bodies[i][k];
                squared += d[k] * d[k];
            }
            for (size_t k = 0; k < 3; k++) {
                sum[k] += d[k] * (double)bodies[j][3] / (squared * sqrt(squared));
            }
        }
        corpus_compare(found[i], sum, 3, 1e-3, kernel);
    }
    feature_free(feature, out);
    feature_free(feature, in);
}

static double normal_distribution(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

static void black_scholes(struct feature *feature, const char *kernel)
{
    enum { N = 1000 };
    static float stock[N];
    static float strike[N];
    static float years[N];
    static float calls[N];
    static float puts[N];
    static double expected_calls[N];
    static double expected_puts[N];
    float rate = 0.02F;
    float volatility = 0.3F;
    int n = N;
    corpus_fill(stock, N, 5, 30, 9);
    corpus_fill(strike, N, 1, 100, 10);
    corpus_fill(years, N, 0.25F, 10, 11);
    CUdeviceptr in[3] = {feature_upload(feature, stock, sizeof(stock)),
                         feature_upload(feature, strike, sizeof(strike)),
                         feature_upload(feature, years, sizeof(years))};
    CUdeviceptr out[2] = {feature_upload(feature, NULL, sizeof(calls)),
                          feature_upload(feature, NULL, sizeof(puts))};
    LAUNCH(feature, kernel, corpus_line(N / 2, 128), ARG(out[0]), ARG(out[1]), ARG(in[0]), ARG(in[1]),
           ARG(in[2]), ARG(rate), ARG(volatility), ARG(n));
    feature_download(feature, calls, out[0], sizeof(calls));
    feature_download(feature, puts, out[1], sizeof(puts));
    for (size_t i = 0; i < N; i++) {
        double s = (double)stock[i];
        double x = (double)strike[i];
        double t = (double)years[i];
        double r = (double)rate;
        double v = (double)volatility;
        double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t));
        double d2 = d1 - v * sqrt(t);
        expected_calls[i] = s * normal_distribution(d1) - x * exp(-r * t) * normal_distribution(d2);
        expected_puts[i] = x * exp(-r * t) * normal_distribution(-d2) - s * normal_distribution(-d1);
    }
    corpus_compare(calls, expected_calls, N, 1e-3, kernel);
    corpus_compare(puts, expected_puts, N, 1e-3, kernel);
    for (size_t i = 0; i < 3; i++) {
        feature_free(feature, in[i]);
    }
    feature_free(feature, out[1]);
    feature_free(feature, out[0]);
}

static void monte_carlo(struct feature *feature, const char *kernel)
{
    enum { THREADS = 4096, EACH = 1000 };
    unsigned long long seed = 20;
    unsigned long long inside = 0;
    int each = EACH;
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(inside));
    LAUNCH(feature, kernel, corpus_line(THREADS, 128), ARG(seed), ARG(each), ARG(out));
    feature_download(feature, &inside, out, sizeof(inside));
    double points = (double)THREADS * EACH;
    feature_near(4 * (double)inside / points, acos(-1), 0.01, kernel, 0); /* 12 standard deviations */
    feature_free(feature, out);
}

static void fft(struct feature *feature, const char *kernel)
{
    enum { LOG = 9, N = 1 << LOG };
    static float signal[N][2];
    static float found[N][2];
    int log2n = LOG;
    int direction = -1;
    corpus_fill(signal[0], N * 2, -1, 1, 12);
    CUdeviceptr memory = feature_upload(feature, signal, sizeof(signal));
    cubinet_launch_config config = corpus_line(128, 128);
    config.dynamic_shared_bytes = sizeof(signal);
    LAUNCH(feature, kernel, config, ARG(memory), ARG(log2n), ARG(direction));
    feature_download(feature, found, memory, sizeof(found));
    for (size_t k = 0; k < N; k++) {
        double expected[2] = {0};
        for (size_t i = 0; i < N; i++) {
            double angle = -2 * acos(-1) * (double)(k * i % N) / N;
            expected[0] += (double)signal[i][0] * cos(angle) - (double)signal[i][1] * sin(angle);
            expected[1] += (double)signal[i][0] * sin(angle) + (double)signal[i][1] * cos(angle);
        }
        corpus_compare(found[k], expected, 2, 1e-3, kernel);
    }
    feature_free(feature, memory);
}

static void dct(struct feature *feature, const char *kernel)
{
    enum { SIZE = 8 };
    float samples[SIZE][SIZE];
    float found[SIZE][SIZE];
    double pi = acos(-1);
    int stride = SIZE;
    corpus_fill(samples[0], SIZE * SIZE, -128, 127, 13);
    CUdeviceptr in = feature_upload(feature, samples, sizeof(samples));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(SIZE, SIZE, SIZE, SIZE), ARG(in), ARG(out), ARG(stride));
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < SIZE * SIZE; i++) {
        double v = (double)(i / SIZE);
        double u = (double)(i % SIZE);
        double sum = 0;
        for (size_t k = 0; k < SIZE * SIZE; k++) {
            sum += (double)samples[k / SIZE][k % SIZE] * cos((2 * (double)(k % SIZE) + 1) * u * pi / 16) *
                   cos((2 * (double)(k / SIZE) + 1) * v * pi / 16);
        }
        sum *= 0.25 * (u > 0 ? 1 : sqrt(0.5)) * (v > 0 ? 1 : sqrt(0.5));
        feature_near((double)found[i / SIZE][i % SIZE], sum, 1e-2, kernel, i);
    }
    feature_free(feature, out);
    feature_free(feature, in);
}

static void stencil(struct feature *feature, const char *kernel)
{
    enum { R = 4, X = 20, Y = 12, Z = 9, PX = X + 2 * R, PY = Y + 2 * R, PZ = Z + 2 * R };
    static float volume[PZ][PY][PX];
    static float found[PZ][PY][PX];
    const float weights[R + 1] = {-3, 1, 0.5F, 0.25F, 0.125F};
    int size[3] = {X, Y, Z};
    corpus_fill(volume[0][0], PX * PY * PZ, -1, 1, 14);
    corpus_set(feature, "stencil", weights, sizeof(weights));
    CUdeviceptr in = feature_upload(feature, volume, sizeof(volume));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(X, Y, 16, 8), ARG(out), ARG(in), ARG(size[0]), ARG(size[1]),
           ARG(size[2]));
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < X * Y * Z; i++) {
        size_t x = R + i % X;
        size_t y = R + i / X % Y;
        size_t z = R + i / (X * Y);
        double sum = (double)(weights[0] * volume[z][y][x]);
        for (size_t k = 1; k <= R; k++) {
            sum += (double)weights[k] *
                   ((double)volume[z - k][y][x] + (double)volume[z + k][y][x] + (double)volume[z][y - k][x] +
                    (double)volume[z][y + k][x] + (double)volume[z][y][x - k] + (double)volume[z][y][x + k]);
        }
        feature_near((double)found[z][y][x], sum, 1e-4, kernel, i);
    }
    feature_free(feature, out);
    feature_free(feature, in);
}

static bool lives(const uint32_t *cells, int words, int rows, int x, int y)
{
    int width = words * 32;
    x = (x + width) % width;
    y = (y + rows) % rows;
    return (cells[y * words + x / 32] >> (x % 32) & 1) != 0;
}

static void game_of_life(struct feature *feature, const char *kernel)
{
    enum { WORDS = 4, ROWS = 50 };
    uint32_t cells[WORDS * ROWS];
    uint32_t found[WORDS * ROWS];
    int words = WORDS;
    int rows = ROWS;
    unsigned state = 15;
    for (size_t i = 0; i < WORDS * ROWS; i++) {
        cells[i] = feature_random(&state) ^ feature_random(&state) << 8;
    }
    CUdeviceptr from = feature_upload(feature, cells, sizeof(cells));
    CUdeviceptr to = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(WORDS * 32, ROWS, 64, 1), ARG(from), ARG(to), ARG(words), ARG(rows));
    feature_download(feature, found, to, sizeof(found));
    for (int i = 0; i < WORDS * 32 * ROWS; i++) {
        int x = i % (WORDS * 32);
        int y = i / (WORDS * 32);
        int neighbours = 0;
        for (int k = 0; k < 9; k++) {
            neighbours += k != 4 && lives(cells, WORDS, ROWS, x + k % 3 - 1, y + k / 3 - 1);
        }
        bool expected = neighbours == 3 || (neighbours == 2 && lives(cells, WORDS, ROWS, x, y));
        feature_near(lives(found, WORDS, ROWS, x, y), expected, 0, kernel, (size_t)i);
    }
    feature_free(feature, to);
    feature_free(feature, from);
}

static void sobol(struct feature *feature, const char *kernel)
{
    enum { VECTORS = 1 << 10, DIRECTIONS = 32 };
    unsigned directions[DIRECTIONS];
    static float found[VECTORS];
    unsigned vectors = VECTORS;
    unsigned dimensions = 1;
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        directions[i] = 1U << (31 - i);
    }
    CUdeviceptr in = feature_upload(feature, directions, sizeof(directions));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(VECTORS, 64), ARG(vectors), ARG(dimensions), ARG(in), ARG(out));
    feature_download(feature, found, out, sizeof(found));
    for (unsigned i = 0; i < VECTORS; i++) {
        unsigned gray = i ^ i >> 1;
        double expected = 0;
        for (unsigned k = 0; k < 10; k++) {
            expected += (gray >> k & 1) / (double)(2U << k);
        }
        feature_near((double)found[i], expected, 1e-6, kernel, i);
    }
    feature_free(feature, out);
    feature_free(feature, in);
}

const struct corpus_case sample_cases[] = {
    {"vector_add", "vectorAdd", vector_add},
    {"matrix_mul", "matrixMul<16>", matrix_mul},
    {"matrix_mul", "matrixMul<32>", matrix_mul},
    {"transpose", "transpose<double>", transpose},
    {"reduction", "reduce<int, 128>", reduction},
    {"scan", "prescan", scan},
    {"histogram", "histogram256", histogram},
    {"nbody", "accelerations<float>", nbody},
    {"black_scholes", "BlackScholesGPU", black_scholes},
    {"monte_carlo", "count_inside<curandStatePhilox4_32_10_t>", monte_carlo},
    {"monte_carlo", "count_inside<curandStateXORWOW_t>", monte_carlo},
    {"fft", "fft_block", fft},
    {"dct8x8", "dct8x8", dct},
    {"stencil3d", "FiniteDifferencesKernel", stencil},
    {"game_of_life", "life_step", game_of_life},
    {"sobol", "sobolGPU_kernel", sobol},
    {0},
};
