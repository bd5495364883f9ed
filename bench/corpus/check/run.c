/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments and results of a launch. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "corpus_check: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static struct argument *next_argument(struct run *run, size_t bytes)
{
    if (run->count == MOST_ARGUMENTS) {
        fprintf(stderr, "corpus_check: %s has too many arguments\n", run->kernel);
        exit(1);
    }
    struct argument *argument = &run->arguments[run->count++];
    argument->bytes = bytes;
    return argument;
}

void *run_input(struct run *run, size_t bytes)
{
    return next_argument(run, bytes)->host = allocate(bytes);
}

void run_output(struct run *run, size_t bytes, unsigned char fill)
{
    struct argument *argument = next_argument(run, bytes);
    argument->host = allocate(bytes);
    argument->result = allocate(bytes);
    memset(argument->host, fill, bytes);
}

void run_value(struct run *run, const void *value, size_t bytes)
{
    if (bytes > LARGEST_VALUE) {
        fprintf(stderr, "corpus_check: %s has an argument of %zu bytes\n", run->kernel, bytes);
        exit(1);
    }
    memcpy(next_argument(run, bytes)->value, value, bytes);
}

const void *run_before(const struct run *run, size_t argument)
{
    return run->arguments[argument].host;
}

const void *run_after(const struct run *run, size_t argument)
{
    return run->arguments[argument].result;
}

void run_free(struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        free(run->arguments[i].host);
        free(run->arguments[i].result);
    }
    run->count = 0;
}

size_t run_blocks(const struct run *run)
{
    return run->grid[0];
}

size_t run_threads(const struct run *run)
{
    return (size_t)run->block[0] * run->block[1] * run->block[2];
}

static const char *template_argument(const struct run *run, int argument)
{
    const char *at = strchr(run->kernel, '<');
    for (; at && argument > 0; argument--) {
        at = strchr(at + 1, ',');
    }
    if (!at) {
        fprintf(stderr, "corpus_check: %s has too few template arguments\n", run->kernel);
        exit(1);
    }
    return at + 1;
}

size_t run_template_number(const struct run *run, int argument)
{
    return strtoul(template_argument(run, argument), NULL, 10);
}

enum number run_template_type(const struct run *run)
{
    const char *type = template_argument(run, 0);
    if (strncmp(type, "float", strlen("float")) == 0) {
        return NUMBER_FLOAT;
    }
    return strncmp(type, "double", strlen("double")) == 0 ? NUMBER_DOUBLE : NUMBER_INT;
}

size_t number_bytes(enum number type)
{
    return type == NUMBER_DOUBLE ? sizeof(double) : 4;
}

double number_get(enum number type, const void *array, size_t i)
{
    switch (type) {
    case NUMBER_FLOAT:
        return (double)((const float *)array)[i];
    case NUMBER_DOUBLE:
        return ((const double *)array)[i];
    default:
        return ((const int32_t *)array)[i];
    }
}

void number_put(enum number type, void *array, size_t i, double value)
{
    switch (type) {
    case NUMBER_FLOAT:
        ((float *)array)[i] = (float)value;
        break;
    case NUMBER_DOUBLE:
        ((double *)array)[i] = value;
        break;
    default:
        ((int32_t *)array)[i] = (int32_t)floor(value);
    }
}

/* Marsaglia's xorshift. */
uint32_t run_random(struct run *run)
{
    uint32_t state = run->random ? run->random : 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return run->random = state;
}

double run_uniform(struct run *run, double low, double high)
{
    return low + (high - low) * run_random(run) * 0x1p-32;
}

void run_numbers(struct run *run, enum number type, size_t count, double low, double high)
{
    void *numbers = run_input(run, count * number_bytes(type));
    for (size_t i = 0; i < count; i++) {
        number_put(type, numbers, i, run_uniform(run, low, high));
    }
}

void run_expect(struct run *run, size_t i, double found, double expected, double tolerance)
{
    double scale = fmax(fabs(expected), 1);
    if (fabs(found - expected) <= tolerance * scale) {
        return; /* never for NaN */
    }
    if (run->wrong++ == 0) {
        fprintf(stderr, "corpus_check: %s: result %zu is %.9g, expected %.9g\n", run->kernel, i, found,
                expected);
    }
}

void run_expect_bits(struct run *run, size_t i, uint64_t found, uint64_t expected)
{
    if (found != expected && run->wrong++ == 0) {
        fprintf(stderr, "corpus_check: %s: result %zu is %#" PRIx64 ", expected %#" PRIx64 "\n", run->kernel,
                i, found, expected);
    }
}
