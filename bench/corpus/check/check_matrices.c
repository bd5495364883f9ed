/* SPDX-License-Identifier: Apache-2.0 */
/* Products, transposes and the rows of matrices. Of large results a sample is computed. */
#include "check.h"

#include <math.h>
#include <string.h>

enum { INNER = 1024 }; /* columns of A and rows of B */

static void prepare_tiled_product(struct run *run)
{
    enum number type = run_template_type(run);
    size_t tile = run_template_number(run, 1);
    int columns = (int)(run->grid[0] * tile);
    int inner = INNER;
    run_numbers(run, type, run->grid[1] * tile * INNER, -1, 1);
    run_numbers(run, type, run->grid[0] * tile * INNER, -1, 1);
    run_output(run, run->grid[0] * tile * run->grid[1] * tile * number_bytes(type), 0xff);
    RUN_VALUE(run, columns);
    RUN_VALUE(run, inner);
}

static void verify_tiled_product(struct run *run)
{
    enum number type = run_template_type(run);
    size_t tile = run_template_number(run, 1);
    size_t columns = run->grid[0] * tile;
    for (size_t at = 0; at < columns * run->grid[1] * tile; at += 997) {
        double sum = 0;
        for (size_t i = 0; i < INNER; i++) {
            sum += number_get(type, run_before(run, 0), at / columns * INNER + i) *
                   number_get(type, run_before(run, 1), i * columns + at % columns);
        }
        run_expect(run, at, number_get(type, run_after(run, 2), at), sum,
                   type == NUMBER_DOUBLE ? 1e-12 : 1e-4);
    }
}

const struct check check_tiled_product = {prepare_tiled_product, verify_tiled_product};

/* The half-precision number eighths / 8, for -8 to 8 eighths: products and sums of them are exact. */
static uint16_t half_of(int eighths)
{
    unsigned magnitude = (unsigned)(eighths < 0 ? -eighths : eighths);
    unsigned power = 0;
    if (magnitude == 0) {
        return 0;
    }
    while (magnitude >> (power + 1)) {
        power++;
    }
    unsigned fraction = (magnitude << 10 >> power) & 0x3ff;
    return (uint16_t)((eighths < 0 ? 0x8000u : 0) | (power - 3 + 15) << 10 | fraction);
}

static int eighths_at(size_t i)
{
    return (int)((uint32_t)i * 2654435761u >> 16) % 17 - 8;
}

static void input_halves(struct run *run, size_t count)
{
    uint16_t *halves = run_input(run, count * sizeof(*halves));
    for (size_t i = 0; i < count; i++) {
        halves[i] = half_of(eighths_at(i));
    }
}

static size_t tensor_rows(const struct run *run)
{
    return 16 * run->grid[1] * run_template_number(run, 0) * run_template_number(run, 2);
}

static size_t tensor_columns(const struct run *run)
{
    return 16 * run->grid[0] * run_template_number(run, 1) * run_template_number(run, 3);
}

static void prepare_tensor_product(struct run *run)
{
    int columns = (int)tensor_columns(run);
    int inner = INNER;
    input_halves(run, tensor_rows(run) * INNER);
    input_halves(run, tensor_columns(run) * INNER);
    run_output(run, tensor_rows(run) * tensor_columns(run) * sizeof(float), 0xff);
    RUN_VALUE(run, columns);
    RUN_VALUE(run, inner);
}

static void verify_tensor_product(struct run *run)
{
    size_t columns = tensor_columns(run);
    const float *found = run_after(run, 2);
    for (size_t at = 0; at < tensor_rows(run) * columns; at += 997) {
        int sum = 0;
        for (size_t i = 0; i < INNER; i++) {
            sum += eighths_at(at / columns * INNER + i) * eighths_at(i * columns + at % columns);
        }
        run_expect(run, at, (double)found[at], sum / 64.0, 0);
    }
}

const struct check check_tensor_product = {prepare_tensor_product, verify_tensor_product};

static size_t element_bytes(const struct run *run)
{
    static const struct {
        const char *type;
        size_t bytes;
    } types[] = {{"<unsigned char", 1}, {"<unsigned short", 2}, {"<float", 4}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strstr(run->kernel, types[i].type)) {
            return types[i].bytes;
        }
    }
    return 8;
}

/* Neither side is a multiple of the tile's. */
static void prepare_transpose(struct run *run)
{
    int columns = (int)run->grid[0] * 32 - 3;
    int rows = (int)run->grid[1] * 32 - 9;
    size_t bytes = (size_t)columns * (size_t)rows * element_bytes(run);
    unsigned char *in = run_input(run, bytes);
    for (size_t i = 0; i < bytes; i++) {
        in[i] = (unsigned char)run_random(run);
    }
    run_output(run, bytes, 0);
    RUN_VALUE(run, columns);
    RUN_VALUE(run, rows);
}

static void verify_transpose(struct run *run)
{
    size_t columns = run->grid[0] * 32 - 3;
    size_t rows = run->grid[1] * 32 - 9;
    size_t bytes = element_bytes(run);
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < columns; column++) {
            uint64_t expected = 0;
            uint64_t found = 0;
            memcpy(&expected, (const char *)run_before(run, 0) + (row * columns + column) * bytes, bytes);
            memcpy(&found, (const char *)run_after(run, 1) + (column * rows + row) * bytes, bytes);
            run_expect_bits(run, column * rows + row, found, expected);
        }
    }
}

const struct check check_transpose = {prepare_transpose, verify_transpose};

/* Rows of none to four times as many numbers as threads. */
static void prepare_spmv(struct run *run)
{
    enum number type = run_template_type(run);
    size_t lanes = run_template_number(run, 2);
    int rows = (int)(run_blocks(run) * run_threads(run) / lanes) - 3;
    int32_t *offsets = run_input(run, ((size_t)rows + 1) * sizeof(*offsets));
    offsets[0] = 0;
    for (int row = 0; row < rows; row++) {
        offsets[row + 1] = offsets[row] + (int32_t)(run_random(run) % (4 * lanes + 1));
    }
    size_t count = (size_t)offsets[rows];
    int32_t *columns = run_input(run, count * sizeof(*columns));
    for (size_t i = 0; i < count; i++) {
        columns[i] = (int32_t)(run_random(run) % (uint32_t)rows);
    }
    run_numbers(run, type, count, -1, 1);
    run_numbers(run, type, (size_t)rows, -1, 1);
    run_output(run, (size_t)rows * number_bytes(type), 0xff);
    RUN_VALUE(run, rows);
}

static void verify_spmv(struct run *run)
{
    enum number type = run_template_type(run);
    const int32_t *offsets = run_before(run, 0);
    const int32_t *columns = run_before(run, 1);
    size_t rows = run->arguments[0].bytes / sizeof(*offsets) - 1;
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (int32_t i = offsets[row]; i < offsets[row + 1]; i++) {
            sum += number_get(type, run_before(run, 2), (size_t)i) *
                   number_get(type, run_before(run, 3), (size_t)columns[i]);
        }
        run_expect(run, row, number_get(type, run_after(run, 4), row), sum,
                   type == NUMBER_DOUBLE ? 1e-12 : 1e-5);
    }
}

const struct check check_spmv = {prepare_spmv, verify_spmv};

enum { COLUMNS = 2000 }; /* of the matrices whose rows are normalised; not a multiple of a block */

static void prepare_softmax(struct run *run)
{
    enum number type = run_template_type(run);
    int columns = COLUMNS;
    run_numbers(run, type, run_blocks(run) * COLUMNS, -8, 8);
    run_output(run, run_blocks(run) * COLUMNS * number_bytes(type), 0xff);
    RUN_VALUE(run, columns);
}

/* The numbers of a row sum to 1, so they are compared times the length. */
static void verify_softmax(struct run *run)
{
    enum number type = run_template_type(run);
    for (size_t row = 0; row < run_blocks(run); row += 11) {
        double sum = 0;
        for (size_t i = row * COLUMNS; i < (row + 1) * COLUMNS; i++) {
            sum += exp(number_get(type, run_before(run, 0), i));
        }
        for (size_t i = row * COLUMNS; i < (row + 1) * COLUMNS; i++) {
            run_expect(run, i, number_get(type, run_after(run, 1), i) * COLUMNS,
                       exp(number_get(type, run_before(run, 0), i)) / sum * COLUMNS,
                       type == NUMBER_DOUBLE ? 1e-12 : 1e-5);
        }
    }
}

const struct check check_softmax = {prepare_softmax, verify_softmax};

static const double epsilon = 1e-5;

static void prepare_layer_norm(struct run *run)
{
    enum number type = run_template_type(run);
    int columns = COLUMNS;
    unsigned char value[sizeof(double)];
    run_numbers(run, type, run_blocks(run) * COLUMNS, 3, 9);
    run_numbers(run, type, COLUMNS, 0.5, 1.5);
    run_numbers(run, type, COLUMNS, -1, 1);
    run_output(run, run_blocks(run) * COLUMNS * number_bytes(type), 0xff);
    RUN_VALUE(run, columns);
    number_put(type, value, 0, epsilon);
    run_value(run, value, number_bytes(type));
}

static void verify_layer_norm_row(struct run *run, enum number type, size_t first)
{
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        sum += number_get(type, run_before(run, 0), first + i);
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        double difference = number_get(type, run_before(run, 0), first + i) - sum / COLUMNS;
        squares += difference * difference;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        double difference = number_get(type, run_before(run, 0), first + i) - sum / COLUMNS;
        double expected =
            difference / sqrt(squares / COLUMNS + epsilon) * number_get(type, run_before(run, 1), i) +
            number_get(type, run_before(run, 2), i);
        run_expect(run, first + i, number_get(type, run_after(run, 3), first + i), expected,
                   type == NUMBER_DOUBLE ? 1e-9 : 1e-5); /* epsilon as a float is not 1e-5 */
    }
}

static void verify_layer_norm(struct run *run)
{
    for (size_t row = 0; row < run_blocks(run); row += 11) {
        verify_layer_norm_row(run, run_template_type(run), row * COLUMNS);
    }
}

const struct check check_layer_norm = {prepare_layer_norm, verify_layer_norm};

enum { WIDEST = 128 }; /* numbers of a query */

static void prepare_attention(struct run *run)
{
    size_t dimension = run_template_number(run, 0);
    size_t length = run_blocks(run) * run_template_number(run, 1);
    int keys = (int)length;
    float scale = 1 / sqrtf((float)dimension);
    run_numbers(run, NUMBER_FLOAT, length * dimension, -4, 4);
    run_numbers(run, NUMBER_FLOAT, length * dimension, -1, 1);
    run_numbers(run, NUMBER_FLOAT, length * dimension, -1, 1);
    run_output(run, length * dimension * sizeof(float), 0xff);
    RUN_VALUE(run, keys);
    RUN_VALUE(run, scale);
}

static void verify_attention_row(struct run *run, size_t row, size_t dimension, size_t length)
{
    const float *query = (const float *)run_before(run, 0) + row * dimension;
    const float *keys = run_before(run, 1);
    const float *values = run_before(run, 2);
    const float *found = run_after(run, 3);
    double sums[WIDEST] = {0};
    double total = 0;
    for (size_t j = 0; j < length; j++) {
        double score = 0;
        for (size_t i = 0; i < dimension; i++) {
            score += (double)query[i] * (double)keys[j * dimension + i];
        }
        double weight = exp(score / sqrt((double)dimension));
        total += weight;
        for (size_t i = 0; i < dimension; i++) {
            sums[i] += weight * (double)values[j * dimension + i];
        }
    }
    for (size_t i = 0; i < dimension; i++) {
        run_expect(run, row * dimension + i, (double)found[row * dimension + i], sums[i] / total, 1e-5);
    }
}

static void verify_attention(struct run *run)
{
    size_t length = run_blocks(run) * run_template_number(run, 1);
    for (size_t row = 0; row < length; row += 61) {
        verify_attention_row(run, row, run_template_number(run, 0), length);
    }
}

const struct check check_attention = {prepare_attention, verify_attention};
