/* SPDX-License-Identifier: Apache-2.0 */
/* Particles: forces, neighbours, steps in time. */
#include "test_corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLES = 200 };
static const float box_size = 10;

static void place(float positions[PARTICLES][4], unsigned seed)
{
    corpus_fill(positions[0], PARTICLES * 4, 0, box_size, seed);
}

static double distance(const float *a, const float *b)
{
    double sum = 0;
    for (size_t k = 0; k < 3; k++) {
        sum += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    }
    return sqrt(sum);
}

/* Particles on a grid that is shaken a little, so that none are so near that the forces lose their digits. */
static void lennard_jones(struct feature *feature, const char *kernel)
{
    enum { EDGE = 5, N = EDGE * EDGE * EDGE };
    static float positions[N][4];
    static float found[N][4];
    float box[3] = {EDGE * 1.2F, EDGE * 1.2F, EDGE * 1.2F};
    float cutoff = 2.5F;
    float epsilon = 1;
    float sigma = 1;
    int n = N;
    double energy = 0;
    double expected_energy = 0;
    corpus_fill(positions[0], N * 4, -0.1F, 0.1F, 1);
    for (int i = 0; i < N; i++) {
        positions[i][0] += (float)(i % EDGE) * 1.2F;
        positions[i][1] += (float)(i / EDGE % EDGE) * 1.2F;
        positions[i][2] += (float)(i / EDGE / EDGE) * 1.2F;
    }
    CUdeviceptr in = feature_upload(feature, positions, sizeof(positions));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    CUdeviceptr out_energy = feature_upload(feature, NULL, sizeof(energy));
    LAUNCH(feature, kernel, corpus_line(N, 64), ARG(in), ARG(out), ARG(out_energy), ARG(n), ARG(box),
           ARG(cutoff), ARG(epsilon), ARG(sigma));
    feature_download(feature, found, out, sizeof(found));
    feature_download(feature, &energy, out_energy, sizeof(energy));
    for (int i = 0; i < N; i++) {
        double force[3] = {0};
        for (int j = 0; j < N; j++) {
            double d[3];
            double r2 = 0;
            for (size_t k = 0; k < 3; k++) {
                d[k] = (double)positions[i][k] - (double)positions[j][k];
                d[k] -= (double)box[k] * rint(d[k] / (double)box[k]);
                r2 += d[k] * d[k];
            }
            if (i == j || r2 >= (double)cutoff * (double)cutoff) {
                continue;
            }
            double s6 = 1 / (r2 * r2 * r2);
            expected_energy += 2 * s6 * (s6 - 1);
            for (size_t k = 0; k < 3; k++) {
                force[k] += 24 * s6 * (2 * s6 - 1) / r2 * d[k];
            }
        }
        corpus_compare(found[i], force, 3, 2e-3, kernel);
    }
    feature_near(energy, expected_energy, 1e-3 * fabs(expected_energy), kernel, N);
    feature_free(feature, out_energy);
    feature_free(feature, out);
    feature_free(feature, in);
}

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void neighbour_list(struct feature *feature, const char *kernel)
{
    enum { EDGE = 5, CELLS = EDGE * EDGE * EDGE, CAPACITY = 32, MOST = 64 };
    static float positions[PARTICLES][4];
    static int counts[PARTICLES];
    static int neighbours[PARTICLES][MOST];
    struct {
        int count[3];
        float width;
    } cells = {{EDGE, EDGE, EDGE}, box_size / EDGE};
    int n = PARTICLES;
    int capacity = CAPACITY;
    int most = MOST;
    float radius = 1.9F;
    place(positions, 2);
    CUdeviceptr in = feature_upload(feature, positions, sizeof(positions));
    CUdeviceptr sizes = feature_upload(feature, NULL, CELLS * sizeof(int));
    CUdeviceptr members = feature_upload(feature, NULL, CELLS * CAPACITY * sizeof(int));
    CUdeviceptr out_counts = feature_upload(feature, NULL, sizeof(counts));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(neighbours));
    LAUNCH(feature, "fill_cells", corpus_line(PARTICLES, 64), ARG(in), ARG(n), ARG(cells), ARG(sizes),
           ARG(members), ARG(capacity));
    LAUNCH(feature, kernel, corpus_line(PARTICLES, 64), ARG(in), ARG(n), ARG(cells), ARG(sizes), ARG(members),
           ARG(capacity), ARG(radius), ARG(out_counts), ARG(out), ARG(most));
    feature_download(feature, counts, out_counts, sizeof(counts));
    feature_download(feature, neighbours, out, sizeof(neighbours));
    for (int i = 0; i < PARTICLES; i++) {
        int count = 0;
        GPU_TRUE(counts[i] <= MOST);
        qsort(neighbours[i], (size_t)counts[i], sizeof(int), compare_ints);
        for (int j = 0; j < PARTICLES; j++) {
            if (j != i && distance(positions[i], positions[j]) < (double)radius) {
                GPU_TRUE(count < counts[i] && neighbours[i][count] == j);
                count++;
            }
        }
        feature_near(counts[i], count, 0, kernel, (size_t)i);
    }
    feature_free(feature, out);
    feature_free(feature, out_counts);
    feature_free(feature, members);
    feature_free(feature, sizes);
    feature_free(feature, in);
}

/* Oscillators of mass 1 go round: after the time t, x is x cos t + v sin t. */
static void verlet(struct feature *feature, const char *kernel)
{
    enum { N = 100, STEPS = 1000 };
    double positions[N];
    double velocities[N];
    double found[N];
    const double parameters[2] = {1e-3, 1};
    int n = N;
    int steps = STEPS;
    for (int i = 0; i < N; i++) {
        positions[i] = i * 0.01;
        velocities[i] = 1 - i * 0.02;
    }
    corpus_set(feature, "double_parameters", parameters, sizeof(parameters));
    CUdeviceptr x = feature_upload(feature, positions, sizeof(positions));
    CUdeviceptr v = feature_upload(feature, velocities, sizeof(velocities));
    LAUNCH(feature, kernel, corpus_line(N, 32), ARG(x), ARG(v), ARG(n), ARG(steps));
    feature_download(feature, found, x, sizeof(found));
    for (size_t i = 0; i < N; i++) {
        feature_near(found[i], positions[i] * cos(1) + velocities[i] * sin(1), 1e-5, kernel, i);
    }
    feature_free(feature, v);
    feature_free(feature, x);
}

/* A chain of bonds. */
static void bonds(struct feature *feature, const char *kernel)
{
    enum { BONDS = PARTICLES - 1, COUNT = 3 * PARTICLES };
    static float positions[PARTICLES][4];
    static struct {
        int32_t a, b;
        float length, strength;
    } chain[BONDS];
    static float found[COUNT];
    static double expected[COUNT];
    int count = BONDS;
    int numbers = COUNT;
    place(positions, 3);
    for (int i = 0; i < BONDS; i++) {
        chain[i].a = i;
        chain[i].b = i + 1;
        chain[i].length = 2;
        chain[i].strength = 10 + (float)i;
        double r = distance(positions[i], positions[i + 1]);
        double factor = -(double)chain[i].strength * (r - 2) / r;
        for (int k = 0; k < 3; k++) {
            double force = factor * ((double)positions[i][k] - (double)positions[i + 1][k]);
            expected[3 * i + k] += force;
            expected[3 * (i + 1) + k] -= force;
        }
    }
    CUdeviceptr in = feature_upload(feature, chain, sizeof(chain));
    CUdeviceptr where = feature_upload(feature, positions, sizeof(positions));
    CUdeviceptr sums = feature_upload(feature, NULL, COUNT * sizeof(unsigned long long));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    LAUNCH(feature, kernel, corpus_line(BONDS, 64), ARG(in), ARG(count), ARG(where), ARG(sums));
    LAUNCH(feature, "from_fixed", corpus_line(COUNT, 64), ARG(sums), ARG(out), ARG(numbers));
    feature_download(feature, found, out, sizeof(found));
    corpus_compare(found, expected, COUNT, 1e-4, kernel);
    feature_free(feature, out);
    feature_free(feature, sums);
    feature_free(feature, where);
    feature_free(feature, in);
}

/* Distances that lie on the edge of a bin may go to either side: the sums up to each bin differ by few. */
static void pair_histogram(struct feature *feature, const char *kernel)
{
    enum { BINS = 40 };
    static float positions[PARTICLES][4];
    unsigned found[BINS];
    unsigned expected[BINS] = {0};
    float width = 0.25F;
    int n = PARTICLES;
    int bins = BINS;
    place(positions, 4);
    CUdeviceptr in = feature_upload(feature, positions, sizeof(positions));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    cubinet_launch_config config = corpus_line(PARTICLES, 64);
    config.dynamic_shared_bytes = sizeof(found);
    LAUNCH(feature, kernel, config, ARG(in), ARG(n), ARG(width), ARG(bins), ARG(out));
    feature_download(feature, found, out, sizeof(found));
    for (int i = 0; i < PARTICLES; i++) {
        for (int j = i + 1; j < PARTICLES; j++) {
            double bin = distance(positions[i], positions[j]) / (double)width;
            if (bin < BINS) {
                expected[(size_t)bin]++;
            }
        }
    }
    double found_sum = 0;
    double expected_sum = 0;
    for (size_t i = 0; i < BINS; i++) {
        found_sum += found[i];
        expected_sum += expected[i];
        feature_near(found_sum, expected_sum, 2, kernel, i);
    }
    feature_free(feature, out);
    feature_free(feature, in);
}

const struct corpus_case molecule_cases[] = {
    {"lj_forces", "lj_forces<true>", lennard_jones},
    {"neighbour_list", "find_neighbours", neighbour_list},
    {"verlet", "integrate<double>", verlet},
    {"bonded", "harmonic_bonds", bonds},
    {"pair_histogram", "pair_histogram", pair_histogram},
    {0},
};
