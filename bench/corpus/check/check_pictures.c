/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of pictures. Beyond a picture's edge is the edge; sizes are not multiples of a block's. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct picture {
    long columns;
    long rows;
};

static size_t pixels(struct picture picture)
{
    return (size_t)(picture.columns * picture.rows);
}

static long clamp(long value, long end)
{
    return value < 0 ? 0 : value >= end ? end - 1 : value;
}

static size_t at(struct picture picture, long x, long y)
{
    return (size_t)(clamp(y, picture.rows) * picture.columns + clamp(x, picture.columns));
}

static void value_of(struct run *run, long value)
{
    int parameter = (int)value;
    RUN_VALUE(run, parameter);
}

static const float distance_scale = 0.1F;
static const float value_scale = 8;

static struct picture bilateral_picture(const struct run *run)
{
    return (struct picture){run->grid[0] * run->block[0] - 5L, run->grid[1] * run->block[1] - 3L};
}

static void prepare_bilateral(struct run *run)
{
    struct picture picture = bilateral_picture(run);
    run_numbers(run, NUMBER_FLOAT, pixels(picture), 0, 1);
    run_output(run, pixels(picture) * sizeof(float), 0xff);
    value_of(run, picture.columns);
    value_of(run, picture.rows);
    RUN_VALUE(run, distance_scale);
    RUN_VALUE(run, value_scale);
}

static double bilateral_of(const float *in, struct picture picture, long x, long y, long radius)
{
    double centre = (double)in[at(picture, x, y)];
    double sum = 0;
    double total = 0;
    for (long j = -radius; j <= radius; j++) {
        for (long i = -radius; i <= radius; i++) {
            double value = (double)in[at(picture, x + i, y + j)];
            double difference = value - centre;
            double weight = exp(-(double)distance_scale * (double)(i * i + j * j) -
                                (double)value_scale * difference * difference);
            sum += weight * value;
            total += weight;
        }
    }
    return sum / total;
}

static void verify_bilateral(struct run *run)
{
    struct picture picture = bilateral_picture(run);
    const float *found = run_after(run, 1);
    for (size_t i = 0; i < pixels(picture); i += 23) {
        double expected = bilateral_of(run_before(run, 0), picture, (long)i % picture.columns,
                                       (long)i / picture.columns, (long)run_template_number(run, 0));
        run_expect(run, i, (double)found[i], expected, 1e-5);
    }
}

const struct check check_bilateral = {prepare_bilateral, verify_bilateral};

static struct picture sobel_picture(const struct run *run)
{
    return (struct picture){4L * run->grid[0] * run->block[0] - 12, run->grid[1] * run->block[1] - 3L};
}

static void prepare_sobel(struct run *run)
{
    struct picture picture = sobel_picture(run);
    unsigned char *in = run_input(run, pixels(picture));
    for (size_t i = 0; i < pixels(picture); i++) {
        in[i] = (unsigned char)(run_random(run) >> 24);
    }
    run_output(run, pixels(picture), 0);
    value_of(run, picture.columns);
    value_of(run, picture.rows);
}

static int sobel_of(const unsigned char *in, struct picture picture, long x, long y)
{
    int across = 0;
    int down = 0;
    for (long i = -1; i <= 1; i++) {
        int weight = i == 0 ? 2 : 1;
        across += weight * (in[at(picture, x + 1, y + i)] - in[at(picture, x - 1, y + i)]);
        down += weight * (in[at(picture, x + i, y + 1)] - in[at(picture, x + i, y - 1)]);
    }
    int edge = (abs(across) + abs(down)) / 4;
    return edge < 255 ? edge : 255;
}

static void verify_sobel(struct run *run)
{
    struct picture picture = sobel_picture(run);
    const unsigned char *found = run_after(run, 1);
    for (size_t i = 0; i < pixels(picture); i++) {
        int expected =
            sobel_of(run_before(run, 0), picture, (long)i % picture.columns, (long)i / picture.columns);
        run_expect(run, i, found[i], expected, 0);
    }
}

const struct check check_sobel = {prepare_sobel, verify_sobel};

static bool is_rows(const struct run *run)
{
    return strncmp(run->kernel, "gauss_rows", strlen("gauss_rows")) == 0;
}

/* gauss_rows has a row of blocks for each row of pixels, gauss_columns one for as many as its second
 * argument. */
static struct picture gauss_picture(const struct run *run)
{
    return (struct picture){
        .columns = run->grid[0] * run->block[0] - 3L,
        .rows = is_rows(run) ? run->grid[1] : (long)(run->grid[1] * run_template_number(run, 1)) - 3,
    };
}

static float gauss_weight(size_t away, size_t radius)
{
    double deviation = (double)radius / 2;
    return (float)(exp(-0.5 * (double)(away * away) / (deviation * deviation)) / (deviation * 2.5066));
}

static void prepare_gauss(struct run *run)
{
    struct picture picture = gauss_picture(run);
    size_t radius = run_template_number(run, 0);
    float weights[LARGEST_VALUE / sizeof(float)] = {0};
    run_numbers(run, NUMBER_FLOAT, pixels(picture), 0, 1);
    run_output(run, pixels(picture) * sizeof(float), 0xff);
    value_of(run, picture.columns);
    if (!is_rows(run)) {
        value_of(run, picture.rows);
    }
    for (size_t away = 0; away <= radius; away++) {
        weights[away] = gauss_weight(away, radius);
    }
    run_value(run, weights, (radius + 1) * sizeof(*weights));
}

static void verify_gauss(struct run *run)
{
    struct picture picture = gauss_picture(run);
    long radius = (long)run_template_number(run, 0);
    const float *in = run_before(run, 0);
    const float *found = run_after(run, 1);
    for (size_t i = 0; i < pixels(picture); i += 7) {
        long x = (long)i % picture.columns;
        long y = (long)i / picture.columns;
        double sum = 0;
        for (long away = -radius; away <= radius; away++) {
            size_t from = is_rows(run) ? at(picture, x + away, y) : at(picture, x, y + away);
            sum += (double)gauss_weight((size_t)labs(away), (size_t)radius) * (double)in[from];
        }
        run_expect(run, i, (double)found[i], sum, 1e-5);
    }
}

const struct check check_gauss = {prepare_gauss, verify_gauss};
