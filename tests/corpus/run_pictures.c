/* SPDX-License-Identifier: Apache-2.0 */
/* Renderers and filters of pictures. */
#include "test_corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 90, HEIGHT = 60, PIXELS = WIDTH * HEIGHT };

static int clamp(int value, int top)
{
    return value < 0 ? 0 : value > top ? top : value;
}

static void fill_bytes(unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)feature_random(&seed);
    }
}

static void compare_bytes(const unsigned char *found, const unsigned char *expected, size_t count, int most,
                          const char *kernel)
{
    for (size_t i = 0; i < count; i++) {
        feature_near(found[i], expected[i], most, kernel, i);
    }
}

/* The source is compiled without contractions: the CPU's numbers are the same. */
static void mandelbrot(struct feature *feature, const char *kernel)
{
    enum { CRUNCH = 64 };
    static unsigned char found[PIXELS][4];
    int width = WIDTH;
    int height = HEIGHT;
    int crunch = CRUNCH;
    double left = -2;
    double top = -1;
    double scale = 3.0 / WIDTH;
    unsigned char colors[4] = {3, 5, 7, 0};
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(WIDTH, HEIGHT, 16, 8), ARG(out), ARG(width), ARG(height),
           ARG(crunch), ARG(left), ARG(top), ARG(scale), ARG(colors));
    feature_download(feature, found, out, sizeof(found));
    for (int pixel = 0; pixel < PIXELS; pixel++) {
        volatile double cx = pixel % WIDTH * scale; /* volatile: no contraction here either */
        volatile double cy = pixel / WIDTH * scale;
        double x = 0;
        double y = 0;
        double xx = 0;
        double yy = 0;
        int i = CRUNCH;
        while (--i && xx + yy < 4) {
            volatile double product = x * y * 2;
            y = product + (cy + top);
            x = xx - yy + (cx + left);
            yy = y * y;
            xx = x * x;
        }
        int steps = i > 0 ? CRUNCH - i : 0;
        for (int k = 0; k < 3; k++) {
            feature_near(found[pixel][k], (unsigned char)(steps * colors[k]), 0, kernel, (size_t)pixel);
        }
    }
    feature_free(feature, out);
}

static void sobel(struct feature *feature, const char *kernel)
{
    static unsigned char in[PIXELS];
    static unsigned char found[PIXELS];
    static unsigned char expected[PIXELS];
    int width = WIDTH;
    int height = HEIGHT;
    float scale = 0.5F;
    fill_bytes(in, PIXELS, 1);
    CUdeviceptr from = feature_upload(feature, in, sizeof(in));
    CUdeviceptr to = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(WIDTH, HEIGHT, 16, 16), ARG(from), ARG(to), ARG(width), ARG(height),
           ARG(scale));
    feature_download(feature, found, to, sizeof(found));
    for (int i = 0; i < PIXELS; i++) {
        int at[9];
        for (int k = 0; k < 9; k++) {
            at[k] = in[clamp(i / WIDTH + k / 3 - 1, HEIGHT - 1) * WIDTH +
                       clamp(i % WIDTH + k % 3 - 1, WIDTH - 1)];
        }
        int across = at[2] + 2 * at[5] + at[8] - at[0] - 2 * at[3] - at[6];
        int down = at[0] + 2 * at[1] + at[2] - at[6] - 2 * at[7] - at[8];
        expected[i] = (unsigned char)clamp((abs(across) + abs(down)) / 2, 255);
    }
    compare_bytes(found, expected, PIXELS, 0, kernel);
    feature_free(feature, to);
    feature_free(feature, from);
}

static void convolution(struct feature *feature, const char *kernel)
{
    enum { RADIUS = 8, TAPS = 2 * RADIUS + 1 };
    static float in[PIXELS];
    static float found[PIXELS];
    static double expected[PIXELS];
    float taps[TAPS];
    int width = WIDTH;
    int height = HEIGHT;
    corpus_fill(in, PIXELS, -1, 1, 2);
    corpus_fill(taps, TAPS, 0, 1, 3);
    corpus_set(feature, "c_Kernel", taps, sizeof(taps));
    CUdeviceptr from = feature_upload(feature, in, sizeof(in));
    CUdeviceptr to = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(WIDTH, HEIGHT, 64, 1), ARG(to), ARG(from), ARG(width), ARG(height),
           ARG(width));
    feature_download(feature, found, to, sizeof(found));
    for (int i = 0; i < PIXELS; i++) {
        expected[i] = 0;
        for (int k = -RADIUS; k <= RADIUS; k++) {
            int x = i % WIDTH + k;
            if (x >= 0 && x < WIDTH) {
                expected[i] += (double)taps[RADIUS - k] * (double)in[i + k];
            }
        }
    }
    corpus_compare(found, expected, PIXELS, 1e-5, kernel);
    feature_free(feature, to);
    feature_free(feature, from);
}

static void ray_sphere(struct feature *feature, const char *kernel)
{
    enum { SPHERES = 5 };
    static float depth[PIXELS];
    static int index[PIXELS];
    float spheres[SPHERES][4]; /* center and radius */
    int count = SPHERES;
    int width = WIDTH;
    int height = HEIGHT;
    for (int i = 0; i < SPHERES; i++) {
        const float sphere[4] = {(float)(i - 2), 0.3F * (float)(i % 3 - 1), -4 - (float)i, 0.8F};
        memcpy(spheres[i], sphere, sizeof(sphere));
    }
    CUdeviceptr in = feature_upload(feature, spheres, sizeof(spheres));
    CUdeviceptr depths = feature_upload(feature, NULL, sizeof(depth));
    CUdeviceptr indices = feature_upload(feature, NULL, sizeof(index));
    LAUNCH(feature, kernel, corpus_plane(WIDTH, HEIGHT, 16, 16), ARG(in), ARG(count), ARG(depths),
           ARG(indices), ARG(width), ARG(height));
    feature_download(feature, depth, depths, sizeof(depth));
    feature_download(feature, index, indices, sizeof(index));
    int hits = 0;
    for (int i = 0; i < PIXELS; i++) {
        double direction[3] = {(i % WIDTH + 0.5) / WIDTH - 0.5, (i / WIDTH + 0.5) / HEIGHT - 0.5, -1};
        double size = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + 1);
        double nearest = INFINITY;
        double clearest = INFINITY; /* how far the ray is from touching a sphere */
        for (int s = 0; s < SPHERES; s++) {
            double b = 0;
            double c = -(double)spheres[s][3] * (double)spheres[s][3];
            for (int k = 0; k < 3; k++) {
                b -= (double)spheres[s][k] * direction[k] / size;
                c += (double)spheres[s][k] * (double)spheres[s][k];
            }
            double discriminant = b * b - c;
            clearest = fmin(clearest, fabs(discriminant));
            if (discriminant > 0 && -b - sqrt(discriminant) > 0) {
                nearest = fmin(nearest, -b - sqrt(discriminant));
            }
        }
        if (clearest > 1e-3) { /* else the two may differ about the hit */
            GPU_TRUE((index[i] >= 0) == (nearest < INFINITY));
            hits += index[i] >= 0;
            feature_near(index[i] >= 0 ? (double)depth[i] : 0, index[i] >= 0 ? nearest : 0, 1e-3, kernel,
                         (size_t)i);
        }
    }
    GPU_TRUE(hits > 100);
    feature_free(feature, indices);
    feature_free(feature, depths);
    feature_free(feature, in);
}

static void bilateral(struct feature *feature, const char *kernel)
{
    enum { RADIUS = 3 };
    static float in[PIXELS][4];
    static float found[PIXELS][4];
    float gaussian[64] = {0};
    float range = 0.2F;
    int radius = RADIUS;
    int width = WIDTH;
    int height = HEIGHT;
    corpus_fill(in[0], PIXELS * 4, 0, 1, 4);
    for (int i = 0; i <= 2 * RADIUS; i++) {
        gaussian[i] = expf(-(float)((i - RADIUS) * (i - RADIUS)) / 8);
    }
    corpus_set(feature, "cGaussian", gaussian, sizeof(gaussian));
    CUdeviceptr from = feature_upload(feature, in, sizeof(in));
    CUdeviceptr to = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(WIDTH, HEIGHT, 16, 16), ARG(from), ARG(to), ARG(width), ARG(height),
           ARG(range), ARG(radius));
    feature_download(feature, found, to, sizeof(found));
    for (int i = 0; i < PIXELS; i++) {
        double sum[3] = {0};
        double total = 0;
        for (int dy = -RADIUS; dy <= RADIUS; dy++) {
            for (int dx = -RADIUS; dx <= RADIUS; dx++) {
                const float *other =
                    in[clamp(i / WIDTH + dy, HEIGHT - 1) * WIDTH + clamp(i % WIDTH + dx, WIDTH - 1)];
                double apart = 0;
                for (int k = 0; k < 3; k++) {
                    apart += pow((double)other[k] - (double)in[i][k], 2);
                }
                double weight = (double)gaussian[dy + RADIUS] * (double)gaussian[dx + RADIUS] *
                                exp(-apart / (2 * (double)range * (double)range));
                total += weight;
                for (int k = 0; k < 3; k++) {
                    sum[k] += weight * (double)other[k];
                }
            }
        }
        for (int k = 0; k < 3; k++) {
            feature_near((double)found[i][k], sum[k] / total, 1e-4, kernel, (size_t)i);
        }
    }
    feature_free(feature, to);
    feature_free(feature, from);
}

/* Where nothing moves, the missing lines are those of the frames before and after. */
static void yadif(struct feature *feature, const char *kernel)
{
    static unsigned char frame[PIXELS];
    static unsigned char found[PIXELS];
    int width = WIDTH;
    int height = HEIGHT;
    int parity = 0;
    for (int i = 0; i < PIXELS; i++) {
        frame[i] = (unsigned char)(i % WIDTH * 2 + i / WIDTH); /* smooth, so that the neighbours agree */
    }
    CUdeviceptr in = feature_upload(feature, frame, sizeof(frame));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(WIDTH, HEIGHT, 32, 8), ARG(out), ARG(in), ARG(in), ARG(in),
           ARG(width), ARG(height), ARG(parity));
    feature_download(feature, found, out, sizeof(found));
    compare_bytes(found, frame, PIXELS, 0, kernel);
    feature_free(feature, out);
    feature_free(feature, in);
}

static void yuv_to_rgb(struct feature *feature, const char *kernel)
{
    static unsigned char in[PIXELS + PIXELS / 2];
    static unsigned char found[PIXELS][4];
    const float matrix[3][3] = {{1.164F, 0, 1.793F}, {1.164F, -0.213F, -0.533F}, {1.164F, 2.112F, 0}};
    int width = WIDTH;
    int height = HEIGHT;
    fill_bytes(in, sizeof(in), 5);
    corpus_set(feature, "matYuv2Rgb", matrix, sizeof(matrix));
    CUdeviceptr from = feature_upload(feature, in, sizeof(in));
    CUdeviceptr to = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(WIDTH / 2, HEIGHT / 2, 16, 8), ARG(from), ARG(width), ARG(to),
           ARG(width), ARG(height));
    feature_download(feature, found, to, sizeof(found));
    for (int i = 0; i < PIXELS; i++) {
        const unsigned char *chroma = &in[PIXELS + i / WIDTH / 2 * WIDTH + i % WIDTH / 2 * 2];
        float yuv[3] = {(float)(in[i] - 16), (float)(chroma[0] - 128), (float)(chroma[1] - 128)};
        for (int k = 0; k < 3; k++) {
            float value = matrix[k][0] * yuv[0] + matrix[k][1] * yuv[1] + matrix[k][2] * yuv[2];
            int expected = value < 0 ? 0 : value > 255 ? 255 : (int)value;
            feature_near(found[i][k], expected, 1, kernel, (size_t)i);
        }
    }
    feature_free(feature, to);
    feature_free(feature, from);
}

static void overlay(struct feature *feature, const char *kernel)
{
    enum { OVER_WIDTH = 30, OVER_HEIGHT = 20, OVER = OVER_WIDTH * OVER_HEIGHT };
    static unsigned char main_picture[PIXELS];
    static unsigned char over[OVER];
    static unsigned char alpha[OVER];
    static unsigned char found[PIXELS];
    int position[2] = {70, -5};
    int size[2] = {WIDTH, HEIGHT};
    int over_size[2] = {OVER_WIDTH, OVER_HEIGHT};
    fill_bytes(main_picture, PIXELS, 6);
    fill_bytes(over, OVER, 7);
    fill_bytes(alpha, OVER, 8);
    CUdeviceptr picture = feature_upload(feature, main_picture, sizeof(main_picture));
    CUdeviceptr top = feature_upload(feature, over, sizeof(over));
    CUdeviceptr weights = feature_upload(feature, alpha, sizeof(alpha));
    LAUNCH(feature, kernel, corpus_plane(WIDTH, HEIGHT, 32, 16), ARG(position[0]), ARG(position[1]),
           ARG(picture), ARG(size[0]), ARG(size[0]), ARG(size[1]), ARG(top), ARG(over_size[0]),
           ARG(over_size[0]), ARG(over_size[1]), ARG(weights), ARG(over_size[0]));
    feature_download(feature, found, picture, sizeof(found));
    for (int i = 0; i < PIXELS; i++) {
        int x = i % WIDTH - position[0];
        int y = i / WIDTH - position[1];
        if (x >= 0 && x < OVER_WIDTH && y >= 0 && y < OVER_HEIGHT) {
            int at = y * OVER_WIDTH + x;
            float weight = (float)alpha[at] / 255;
            main_picture[i] =
                (unsigned char)(weight * (float)over[at] + (1 - weight) * (float)main_picture[i] + 0.5F);
        }
    }
    compare_bytes(found, main_picture, PIXELS, 1, kernel);
    feature_free(feature, weights);
    feature_free(feature, top);
    feature_free(feature, picture);
}

static void denoise(struct feature *feature, const char *kernel)
{
    enum { PATCH = 1, RESEARCH = 3 };
    static unsigned char in[PIXELS];
    static unsigned char found[PIXELS];
    float strength = 30;
    int width = WIDTH;
    int height = HEIGHT;
    fill_bytes(in, PIXELS, 9);
    CUdeviceptr from = feature_upload(feature, in, sizeof(in));
    CUdeviceptr to = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_plane(WIDTH, HEIGHT, 16, 16), ARG(from), ARG(to), ARG(width), ARG(height),
           ARG(strength));
    feature_download(feature, found, to, sizeof(found));
    for (int i = 0; i < PIXELS; i++) {
        double total = 0;
        double weights = 0;
        for (int n = 0; n < (2 * RESEARCH + 1) * (2 * RESEARCH + 1); n++) {
            int x = i % WIDTH + n % (2 * RESEARCH + 1) - RESEARCH;
            int y = i / WIDTH + n / (2 * RESEARCH + 1) - RESEARCH;
            int apart = 0;
            for (int p = 0; p < 9; p++) {
                int px = p % 3 - PATCH;
                int py = p / 3 - PATCH;
                int d = in[clamp(i / WIDTH + py, HEIGHT - 1) * WIDTH + clamp(i % WIDTH + px, WIDTH - 1)] -
                        in[clamp(y + py, HEIGHT - 1) * WIDTH + clamp(x + px, WIDTH - 1)];
                apart += d * d;
            }
            double weight = exp(-apart / ((double)strength * (double)strength * 9));
            total += weight * in[clamp(y, HEIGHT - 1) * WIDTH + clamp(x, WIDTH - 1)];
            weights += weight;
        }
        feature_near(found[i], floor(total / weights + 0.5), 1, kernel, (size_t)i);
    }
    feature_free(feature, to);
    feature_free(feature, from);
}

const struct corpus_case picture_cases[] = {
    {"mandelbrot", "Mandelbrot0<double>", mandelbrot},
    {"sobel", "SobelCopy", sobel},
    {"convolution", "convolutionRowsKernel", convolution},
    {"ray_sphere", "trace_depth", ray_sphere},
    {"bilateral", "d_bilateral_filter", bilateral},
    {"yadif", "yadif_uchar", yadif},
    {"yuv_to_rgb", "Nv12ToRgba", yuv_to_rgb},
    {"overlay", "Overlay_Cuda", overlay},
    {"nlmeans", "nlmeans<1,3>", denoise},
    {0},
};
