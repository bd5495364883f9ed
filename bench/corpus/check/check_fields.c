/* SPDX-License-Identifier: Apache-2.0 */
/* Stencils, bodies and Fourier transforms. */
#include "check.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static void value_of(struct run *run, enum number type, double value)
{
    unsigned char parameter[sizeof(double)];
    number_put(type, parameter, 0, value);
    run_value(run, parameter, number_bytes(type));
}

static size_t heat_columns(const struct run *run)
{
    return run->grid[0] * run->block[0] - 5;
}

static size_t heat_rows(const struct run *run)
{
    return run->grid[1] * run->block[1] - 2;
}

static const double heat_rate = 0.125;

static void prepare_heat_2d(struct run *run)
{
    enum number type = run_template_type(run);
    size_t count = heat_columns(run) * heat_rows(run);
    run_numbers(run, type, count, 0, 100);
    run_output(run, count * number_bytes(type), 0xff);
    value_of(run, NUMBER_INT, (double)heat_columns(run));
    value_of(run, NUMBER_INT, (double)heat_rows(run));
    value_of(run, type, heat_rate);
}

static void verify_heat_2d(struct run *run)
{
    enum number type = run_template_type(run);
    const void *in = run_before(run, 0);
    size_t columns = heat_columns(run);
    size_t rows = heat_rows(run);
    for (size_t i = 0; i < columns * rows; i++) {
        size_t x = i % columns;
        size_t y = i / columns;
        double heat = number_get(type, in, i);
        if (x > 0 && y > 0 && x < columns - 1 && y < rows - 1) {
            heat += heat_rate * (number_get(type, in, i - columns) + number_get(type, in, i + columns) +
                                 number_get(type, in, i - 1) + number_get(type, in, i + 1) - 4 * heat);
        }
        run_expect(run, i, number_get(type, run_after(run, 1), i), heat,
                   type == NUMBER_DOUBLE ? 1e-12 : 1e-4);
    }
}

const struct check check_heat_2d = {prepare_heat_2d, verify_heat_2d};

/* A volume, its rim not counted. */
struct volume {
    size_t x, y, z;
    size_t radius;
    size_t pitch, layer; /* from a point to those with the next y and z */
};

static struct volume volume_of(const struct run *run)
{
    struct volume volume = {run->grid[0] * run->block[0], run->grid[1] * run->block[1], 128, 0, 0, 0};
    volume.radius = run_template_number(run, 0);
    volume.pitch = volume.x + 2 * volume.radius;
    volume.layer = volume.pitch * (volume.y + 2 * volume.radius);
    return volume;
}

/* The second derivative's weights at 0 to `radius` points' distance, for every radius alike. */
static float wave_weight(size_t away)
{
    static const float weights[] = {-2.847222F, 1.6F, -0.2F, 0.025397F, -0.001786F};
    return 0.1F * (away == 0 ? 3 * weights[0] : weights[away]);
}

static void prepare_wave_3d(struct run *run)
{
    struct volume volume = volume_of(run);
    size_t count = volume.layer * (volume.z + 2 * volume.radius);
    float weights[LARGEST_VALUE / sizeof(float)];
    run_numbers(run, NUMBER_FLOAT, count, -1, 1);
    run_numbers(run, NUMBER_FLOAT, count, -1, 1);
    run_output(run, count * sizeof(float), 0xff);
    value_of(run, NUMBER_INT, (double)volume.x);
    value_of(run, NUMBER_INT, (double)volume.y);
    value_of(run, NUMBER_INT, (double)volume.z);
    for (size_t away = 0; away <= volume.radius; away++) {
        weights[away] = wave_weight(away);
    }
    run_value(run, weights, (volume.radius + 1) * sizeof(*weights));
}

static void verify_wave_3d(struct run *run)
{
    struct volume volume = volume_of(run);
    const float *now = run_before(run, 0);
    const float *before = run_before(run, 1);
    const float *next = run_after(run, 2);
    for (size_t point = 0; point < volume.x * volume.y * volume.z; point += 7) {
        size_t i = (point / (volume.x * volume.y) + volume.radius) * volume.layer +
                   (point / volume.x % volume.y + volume.radius) * volume.pitch + point % volume.x +
                   volume.radius;
        double sum = (double)wave_weight(0) * (double)now[i];
        for (size_t away = 1; away <= volume.radius; away++) {
            sum += (double)wave_weight(away) *
                   ((double)now[i - away] + (double)now[i + away] + (double)now[i - away * volume.pitch] +
                    (double)now[i + away * volume.pitch] + (double)now[i - away * volume.layer] +
                    (double)now[i + away * volume.layer]);
        }
        run_expect(run, i, (double)next[i], 2 * (double)now[i] - (double)before[i] + sum, 1e-5);
    }
}

const struct check check_wave_3d = {prepare_wave_3d, verify_wave_3d};

static const double softening = 0.01;

/* Bodies in a cube of side 2, with a mass of about 1 together. */
static void prepare_n_body(struct run *run)
{
    enum number type = run_template_type(run);
    size_t count = run_blocks(run) * run_threads(run);
    void *bodies = run_input(run, 4 * count * number_bytes(type));
    for (size_t i = 0; i < 4 * count; i++) {
        bool is_mass = i % 4 == 3;
        number_put(type, bodies, i,
                   is_mass ? run_uniform(run, 0.5, 1.5) / (double)count : run_uniform(run, -1, 1));
    }
    run_output(run, 3 * count * number_bytes(type), 0xff);
    value_of(run, NUMBER_INT, (double)count);
    value_of(run, type, softening);
}

static void acceleration_of(const struct run *run, enum number type, size_t body, size_t count,
                            double sums[3])
{
    const void *bodies = run_before(run, 0);
    for (size_t other = 0; other < count; other++) {
        double towards[3];
        double squares = softening;
        for (size_t axis = 0; axis < 3; axis++) {
            towards[axis] =
                number_get(type, bodies, 4 * other + axis) - number_get(type, bodies, 4 * body + axis);
            squares += towards[axis] * towards[axis];
        }
        for (size_t axis = 0; axis < 3; axis++) {
            sums[axis] += towards[axis] * number_get(type, bodies, 4 * other + 3) / (squares * sqrt(squares));
        }
    }
}

static void verify_n_body(struct run *run)
{
    enum number type = run_template_type(run);
    size_t count = run_blocks(run) * run_threads(run);
    for (size_t body = 0; body < count; body += 101) {
        double expected[3] = {0};
        acceleration_of(run, type, body, count, expected);
        for (size_t axis = 0; axis < 3; axis++) {
            run_expect(run, 3 * body + axis, number_get(type, run_after(run, 1), 3 * body + axis),
                       expected[axis], type == NUMBER_DOUBLE ? 1e-10 : 1e-4);
        }
    }
}

const struct check check_n_body = {prepare_n_body, verify_n_body};

static void prepare_fft(struct run *run)
{
    enum number type = run_template_type(run);
    size_t count = 2 * (run_blocks(run) << run_template_number(run, 1));
    run_numbers(run, type, count, -1, 1);
    run_output(run, count * number_bytes(type), 0xff);
}

/* e to the power of -2 π i k / points, for k from 0 to points - 1. */
static double complex *roots_of_unity(size_t points)
{
    double complex *roots = malloc(points * sizeof(*roots));
    if (!roots) {
        fprintf(stderr, "corpus_check: no memory for %zu roots\n", points);
        exit(1);
    }
    for (size_t k = 0; k < points; k++) {
        roots[k] = cexp(-2 * pi * I * (double)k / (double)points);
    }
    return roots;
}

static void verify_fft(struct run *run)
{
    enum number type = run_template_type(run);
    size_t points = (size_t)1 << run_template_number(run, 1);
    const void *in = run_before(run, 0);
    const void *out = run_after(run, 1);
    double tolerance = type == NUMBER_DOUBLE ? 1e-11 : 1e-4;
    double complex *roots = roots_of_unity(points);
    for (size_t i = 0; i < run_blocks(run) * points; i += 101) {
        size_t first = i / points * points;
        double complex sum = 0;
        for (size_t j = 0; j < points; j++) {
            double complex value =
                number_get(type, in, 2 * (first + j)) + number_get(type, in, 2 * (first + j) + 1) * I;
            sum += value * roots[i % points * j % points];
        }
        run_expect(run, 2 * i, number_get(type, out, 2 * i), creal(sum), tolerance);
        run_expect(run, 2 * i + 1, number_get(type, out, 2 * i + 1), cimag(sum), tolerance);
    }
    free(roots);
}

const struct check check_fft = {prepare_fft, verify_fft};
